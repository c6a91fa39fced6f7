pub(crate) const PROBE: u8 = 1;
