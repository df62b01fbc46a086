//! A network connection to a server that can be cut and mended, and overheard. The server does not know of it.

use parking_lot::Mutex;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// What is told of each piece that a client sends.
type Hearing = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// A proxy in front of a server. It is open at first.
pub(crate) struct Wire {
    address: SocketAddr,
    to: String,
    hearing: Hearing,
    strands: Arc<Mutex<Vec<TcpStream>>>,
    is_cut: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Wire {
    /// A proxy for the server at this address.
    pub(crate) fn to(address: &str) -> Wire {
        Wire::overheard(address, |_| ())
    }

    /// The same; `hearing` is told of each piece of what clients send, as it comes from the network. A request
    /// that is sent in one write on this machine is one piece.
    pub(crate) fn overheard(
        address: &str,
        hearing: impl Fn(&[u8]) + Send + Sync + 'static,
    ) -> Wire {
        let nearest = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut wire = Wire {
            address: nearest.local_addr().expect("an address"),
            to: address.to_string(),
            hearing: Arc::new(hearing),
            strands: Arc::default(),
            is_cut: Arc::default(),
            accepting: None,
        };
        wire.listen(nearest);
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
        for strand in self.strands.lock().drain(..) {
            // A connection that is closed already counts as cut.
            let _ = strand.shutdown(Shutdown::Both);
        }
    }

    /// Lets connections through again.
    pub(crate) fn mend(&mut self) {
        self.is_cut.store(false, Ordering::SeqCst);
        self.listen(TcpListener::bind(self.address).expect("the same port"));
    }

    fn listen(&mut self, listener: TcpListener) {
        let (to, strands) = (self.to.clone(), self.strands.clone());
        let (is_cut, hearing) = (self.is_cut.clone(), self.hearing.clone());
        self.accepting = Some(thread::spawn(move || {
            for from in listener.incoming() {
                if is_cut.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(from), Ok(to)) = (from, TcpStream::connect(&to)) else {
                    continue;
                };
                let nobody: Hearing = Arc::new(|_| ());
                let ways = [
                    (twin(&from), twin(&to), hearing.clone()),
                    (twin(&to), twin(&from), nobody),
                ];
                for (source, mut sink, hearing) in ways {
                    thread::spawn(move || {
                        // The other side is told of any end.
                        let _ = carry(source, &mut sink, &hearing);
                        let _ = sink.shutdown(Shutdown::Both);
                    });
                }
                strands.lock().extend([from, to]);
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

/// Copies until one side ends.
fn carry(mut source: TcpStream, sink: &mut TcpStream, hearing: &Hearing) -> io::Result<()> {
    let mut piece = vec![0; 64 * 1024];
    loop {
        let length = source.read(&mut piece)?;
        if length == 0 {
            return Ok(());
        }
        hearing(&piece[..length]);
        sink.write_all(&piece[..length])?;
    }
}
