/* A rubber stop: it touches from x = 0 on and hardens like k x (1 + (x/a)^2); on the other side
   there is no force. The derivatives are named as source 004, section 6.4 says. */

double stop(double x, double k, double a)
{
  return x > 0.0 ? k * x * (1.0 + x * x / (a * a)) : 0.0;
}

double dstopdx(double x, double k, double a)
{
  return x > 0.0 ? k * (1.0 + 3.0 * x * x / (a * a)) : 0.0;
}

double d2stopdxdx(double x, double k, double a)
{
  return x > 0.0 ? 6.0 * k * x / (a * a) : 0.0;
}

/* by the parameters: for `fit` and `continue` */

double dstopdk(double x, double k, double a)
{
  return x > 0.0 ? x * (1.0 + x * x / (a * a)) : 0.0 * k;
}

double dstopda(double x, double k, double a)
{
  return x > 0.0 ? -2.0 * k * x * x * x / (a * a * a) : 0.0;
}
