// <numbers>
namespace std {
namespace numbers {
template <class T> constexpr T pi_v = (T)3.141592653589793238;
template <class T> constexpr T e_v = (T)2.718281828459045235;
inline constexpr double pi = 3.141592653589793238;
inline constexpr double e = 2.718281828459045235;
inline constexpr double inv_pi = 0.318309886183790672;
inline constexpr double log2e = 1.442695040888963407;
inline constexpr double log10e = 0.434294481903251828;
inline constexpr double ln2 = 0.693147180559945309;
inline constexpr double ln10 = 2.302585092994045684;
inline constexpr double sqrt2 = 1.414213562373095049;
inline constexpr double sqrt3 = 1.732050807568877294;
inline constexpr double phi = 1.618033988749894848;
}  // namespace numbers
}  // namespace std
