//! Prometheus' text format, version 0.0.4.

use std::fmt::{Display, Write as _};

use zoea_text::clean;

/// The bounds that the conventions advise for durations of calls, in seconds.
pub(super) const CALL_SECONDS_BOUNDS: [f64; 14] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/// A histogram: the number of durations up to each bound.
pub(super) struct Histogram {
    bounds: &'static [f64],
    counts: Vec<u64>,
    count: u64,
    sum: f64,
}

impl Histogram {
    pub(super) fn new(bounds: &'static [f64]) -> Histogram {
        Histogram {
            bounds,
            counts: vec![0; bounds.len()],
            count: 0,
            sum: 0.0,
        }
    }

    pub(super) fn observe(&mut self, seconds: f64) {
        for (bound, count) in self.bounds.iter().zip(&mut self.counts) {
            *count += u64::from(seconds <= *bound);
        }
        self.count += 1;
        self.sum += seconds;
    }
}

/// How many durations there were, and their sum: what a histogram of the same durations elsewhere
/// on the page does not say by our own labels.
#[derive(Default)]
pub(super) struct SumOfSeconds {
    count: u64,
    sum: f64,
}

impl SumOfSeconds {
    pub(super) fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.sum += seconds;
    }
}

/// A label: its name and its value.
pub(super) type MetricLabel<'a> = (&'a str, &'a str);

#[derive(Default)]
pub(super) struct MetricsPage(String);

impl MetricsPage {
    /// Writes the description of the following lines.
    pub(super) fn write_head(&mut self, name: &str, kind: &str, help: &str) {
        self.write(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    /// Writes a figure. A label without a value is none.
    pub(super) fn write_line(
        &mut self,
        name: &str,
        labels: &[MetricLabel<'_>],
        value: impl Display,
    ) {
        let labels = label_text(labels);
        self.write(format_args!("{name}{labels} {value}\n"));
    }

    pub(super) fn write_histogram(
        &mut self,
        name: &str,
        labels: &[MetricLabel<'_>],
        of: &Histogram,
    ) {
        let bucket = format!("{name}_bucket");
        let bounds = of.bounds.iter().map(ToString::to_string);
        let ends = bounds.zip(of.counts.iter().copied());
        for (bound, count) in ends.chain([("+Inf".to_string(), of.count)]) {
            let bounded = [labels, &[("le", &*bound)]].concat();
            self.write_line(&bucket, &bounded, count);
        }
        self.write_line(&format!("{name}_sum"), labels, of.sum);
        self.write_line(&format!("{name}_count"), labels, of.count);
    }

    /// Writes a sum as a summary without quantiles.
    pub(super) fn write_sum(&mut self, name: &str, labels: &[MetricLabel<'_>], of: &SumOfSeconds) {
        self.write_line(&format!("{name}_sum"), labels, of.sum);
        self.write_line(&format!("{name}_count"), labels, of.count);
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn write(&mut self, what: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(what);
    }
}

fn label_text(labels: &[MetricLabel<'_>]) -> String {
    let labels = labels.iter().filter(|(_, value)| !value.is_empty());
    let labels: Vec<String> = labels
        .map(|(key, value)| format!("{key}=\"{}\"", escape_label(value)))
        .collect();
    match labels.is_empty() {
        true => String::new(),
        false => format!("{{{}}}", labels.join(",")),
    }
}

fn escape_label(value: &str) -> String {
    clean::clean_text(value)
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_to_the_letter() {
        let mut page = MetricsPage::default();
        page.write_head("a", "gauge", "What.");
        page.write_line("a", &[("x", "q\"\\\n")], 3);
        let mut histogram = Histogram::new(&[0.5, 1.0]);
        for seconds in [0.25, 0.75, 4.0] {
            histogram.observe(seconds);
        }
        page.write_histogram("h", &[("p", "one")], &histogram);
        page.write_histogram("g", &[], &histogram);
        page.write_line("d", &[], 0.25);
        let wanted = "# HELP a What.\n# TYPE a gauge\na{x=\"q\\\"\\\\\\n\"} 3\n\
            h_bucket{p=\"one\",le=\"0.5\"} 1\nh_bucket{p=\"one\",le=\"1\"} 2\n\
            h_bucket{p=\"one\",le=\"+Inf\"} 3\nh_sum{p=\"one\"} 5\nh_count{p=\"one\"} 3\n\
            g_bucket{le=\"0.5\"} 1\ng_bucket{le=\"1\"} 2\ng_bucket{le=\"+Inf\"} 3\n\
            g_sum 5\ng_count 3\nd 0.25\n";
        assert_eq!(page.into_text(), wanted);
    }
}
