"""Many runs and what they mean: published tables, calibration, sweeps, validation."""
