double broken(double x) { return y; }
