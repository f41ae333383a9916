//! The table that a bench prints: what was measured, its budget, and whether it was met.

/// One row.
pub struct Row {
    /// What was measured.
    pub what: String,
    /// The most that is allowed; `None` for what is only told.
    pub budget: Option<f64>,
    /// What was measured; `None` when it could not be.
    pub measured: Option<f64>,
    /// The unit behind both numbers.
    pub unit: &'static str,
    /// The numbers that the measured one comes from, or how to measure it.
    pub note: String,
}

impl Row {
    fn met(&self) -> bool {
        self.budget.is_none_or(|budget| self.measured.is_some_and(|measured| measured <= budget))
    }
}

/// The rows as aligned text.
pub fn text(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.what.len()).max().unwrap_or(0);
    let mut out = format!("{:width$}  {:>9}  {:>9}  verdict\n", "what", "budget", "measured");
    for row in rows {
        let number = |number: f64| format!("{number:.2}{}", row.unit);
        let told = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
        let (budget, measured) = (told(row.budget), told(row.measured));
        let verdict = match row.measured {
            _ if row.budget.is_none() => "no budget",
            _ if row.met() => "met",
            Some(_) => "MISSED",
            None => "NOT MEASURED",
        };
        let what = &row.what;
        out.push_str(&format!("{what:width$}  {budget:>9}  {measured:>9}  {verdict}; {}\n", row.note));
    }
    out
}

/// Whether every budget was met; what was not measured was not met.
pub fn all_met(rows: &[Row]) -> bool {
    rows.iter().all(Row::met)
}

/// The middle of some numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
