//! A network connection to a server that can be cut and mended. The server does not know of it.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// A proxy in front of a server. It is open at first.
pub(crate) struct Wire {
    address: SocketAddr,
    to: String,
    strands: Arc<Mutex<Vec<TcpStream>>>,
    is_cut: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Wire {
    /// A proxy for the server at this address.
    pub(crate) fn to(address: &str) -> Wire {
        let nearest = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut wire = Wire {
            address: nearest.local_addr().expect("an address"),
            to: address.to_string(),
            strands: Arc::default(),
            is_cut: Arc::default(),
            accepting: None,
        };
        wire.hear(nearest);
        wire
    }

    /// The address of the proxy.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts all connections, and lets no new one through.
    pub(crate) fn cut(&mut self) {
        self.is_cut.store(true, Ordering::SeqCst);
        // One more connection wakes the accepting thread.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            accepting.join().expect("nothing goes wrong there");
        }
        for strand in self.strands.lock().expect("a lock").drain(..) {
            // A connection that is closed already counts as cut.
            let _ = strand.shutdown(Shutdown::Both);
        }
    }

    /// Lets connections through again.
    pub(crate) fn mend(&mut self) {
        self.is_cut.store(false, Ordering::SeqCst);
        self.hear(TcpListener::bind(self.address).expect("the same port"));
    }

    fn hear(&mut self, listener: TcpListener) {
        let (to, strands) = (self.to.clone(), self.strands.clone());
        let is_cut = self.is_cut.clone();
        self.accepting = Some(thread::spawn(move || {
            for from in listener.incoming() {
                if is_cut.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(from), Ok(to)) = (from, TcpStream::connect(&to)) else {
                    continue;
                };
                for (mut source, mut sink) in [(twin(&from), twin(&to)), (twin(&to), twin(&from))] {
                    thread::spawn(move || {
                        // The other side is told of any end.
                        let _ = io::copy(&mut source, &mut sink);
                        let _ = sink.shutdown(Shutdown::Both);
                    });
                }
                strands.lock().expect("a lock").extend([from, to]);
            }
        }));
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if self.accepting.is_some() {
            self.cut();
        }
    }
}

fn twin(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a descriptor")
}
