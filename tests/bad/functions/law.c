double law(double x, double k) { return k * x * x; }
double dlawdx(double x, double k) { return 2 * k * x; }
double value_only(double x) { return x; }
