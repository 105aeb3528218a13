namespace std {

template <typename T, T v> struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant<T, v>;
};
template <bool B> using bool_constant = integral_constant<bool, B>;
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <typename A, typename B> struct is_same : false_type {};
template <typename A> struct is_same<A, A> : true_type {};
template <typename A, typename B> constexpr bool is_same_v = is_same<A, B>::value;

template <typename T> struct is_floating_point : false_type {};
template <> struct is_floating_point<float> : true_type {};
template <> struct is_floating_point<double> : true_type {};
template <typename T> constexpr bool is_floating_point_v = is_floating_point<T>::value;

template <typename T> struct is_integral : false_type {};
template <> struct is_integral<bool> : true_type {};
template <> struct is_integral<char> : true_type {};
template <> struct is_integral<signed char> : true_type {};
template <> struct is_integral<unsigned char> : true_type {};
template <> struct is_integral<short> : true_type {};
template <> struct is_integral<unsigned short> : true_type {};
template <> struct is_integral<int> : true_type {};
template <> struct is_integral<unsigned int> : true_type {};
template <> struct is_integral<long long> : true_type {};
template <> struct is_integral<unsigned long long> : true_type {};
template <typename T> constexpr bool is_integral_v = is_integral<T>::value;

template <typename T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <typename T> constexpr bool is_arithmetic_v = is_arithmetic<T>::value;

template <typename T> struct is_signed : is_floating_point<T> {};
template <> struct is_signed<char> : true_type {};
template <> struct is_signed<signed char> : true_type {};
template <> struct is_signed<short> : true_type {};
template <> struct is_signed<int> : true_type {};
template <> struct is_signed<long long> : true_type {};
template <typename T> constexpr bool is_signed_v = is_signed<T>::value;
template <typename T> struct is_unsigned : bool_constant<is_integral<T>::value && !is_signed<T>::value> {};
template <typename T> constexpr bool is_unsigned_v = is_unsigned<T>::value;

template <typename T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <typename T> constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;

template <typename T> struct is_pointer : false_type {};
template <typename T> struct is_pointer<T*> : true_type {};
template <typename T> constexpr bool is_pointer_v = is_pointer<T>::value;

template <bool B, typename T, typename F> struct conditional { using type = T; };
template <typename T, typename F> struct conditional<false, T, F> { using type = F; };
template <bool B, typename T, typename F> using conditional_t = typename conditional<B, T, F>::type;

template <typename...> using void_t = void;
template <typename T> __host__ __device__ T&& declval() { return (T&&)*(T*)nullptr; }
template <typename... T> struct common_type;
template <typename T> struct common_type<T> { using type = T; };
template <typename A, typename B> struct common_type<A, B> {
    using type = decltype(true ? declval<A>() : declval<B>());
};
template <typename A, typename B, typename... C> struct common_type<A, B, C...> {
    using type = typename common_type<typename common_type<A, B>::type, C...>::type;
};
template <typename... T> using common_type_t = typename common_type<T...>::type;
template <bool B, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <bool B, typename T = void> using enable_if_t = typename enable_if<B, T>::type;

template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T*> { using type = T; };
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> struct remove_const { using type = T; };
template <typename T> struct remove_const<const T> { using type = T; };
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> struct remove_cv : remove_const<T> {};
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> struct remove_reference { using type = T; };
template <typename T> using remove_reference_t = T;
template <typename T> struct decay : remove_const<T> {};
template <typename T> using decay_t = typename decay<T>::type;
template <typename T> struct is_const : false_type {};
template <typename T> struct is_const<const T> : true_type {};
template <typename T> constexpr bool is_const_v = is_const<T>::value;

template <typename T> struct make_unsigned;
template <> struct make_unsigned<char> { using type = unsigned char; };
template <> struct make_unsigned<signed char> { using type = unsigned char; };
template <> struct make_unsigned<short> { using type = unsigned short; };
template <> struct make_unsigned<int> { using type = unsigned int; };
template <> struct make_unsigned<unsigned int> { using type = unsigned int; };
template <> struct make_unsigned<long long> { using type = unsigned long long; };
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;

template <typename T> struct numeric_limits { static constexpr bool is_specialized = false; };

template <> struct numeric_limits<float> {
    static constexpr bool is_specialized = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_signed = true;
    static constexpr bool has_infinity = true;
    static constexpr int digits = 24;
    static constexpr __host__ __device__ float max() { return 3.402823466e+38f; }
    static constexpr __host__ __device__ float lowest() { return -3.402823466e+38f; }
    static constexpr __host__ __device__ float min() { return 1.175494351e-38f; }
    static constexpr __host__ __device__ float epsilon() { return 1.192092896e-07f; }
    static constexpr __host__ __device__ float infinity() { return INFINITY; }
    static constexpr __host__ __device__ float quiet_NaN() { return NAN; }
    static constexpr __host__ __device__ float signaling_NaN() { return NAN; }
    static constexpr __host__ __device__ float denorm_min() { return 1.4e-45f; }
};

template <> struct numeric_limits<double> {
    static constexpr bool is_specialized = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_signed = true;
    static constexpr bool has_infinity = true;
    static constexpr int digits = 53;
    static constexpr __host__ __device__ double max() { return 1.7976931348623157e+308; }
    static constexpr __host__ __device__ double lowest() { return -1.7976931348623157e+308; }
    static constexpr __host__ __device__ double min() { return 2.2250738585072014e-308; }
    static constexpr __host__ __device__ double epsilon() { return 2.2204460492503131e-16; }
    static constexpr __host__ __device__ double infinity() { return INFINITY; }
    static constexpr __host__ __device__ double quiet_NaN() { return NAN; }
    static constexpr __host__ __device__ double signaling_NaN() { return NAN; }
    static constexpr __host__ __device__ double denorm_min() { return 4.9406564584124654e-324; }
};

template <typename T, T least, T most, bool s, int bits> struct __integer_limits {
    static constexpr bool is_specialized = true;
    static constexpr bool is_integer = true;
    static constexpr bool is_signed = s;
    static constexpr bool has_infinity = false;
    static constexpr int digits = bits;
    static constexpr __host__ __device__ T max() { return most; }
    static constexpr __host__ __device__ T min() { return least; }
    static constexpr __host__ __device__ T lowest() { return least; }
};
template <> struct numeric_limits<bool> : __integer_limits<bool, false, true, false, 1> {};
template <> struct numeric_limits<char> : __integer_limits<char, -128, 127, true, 7> {};
template <> struct numeric_limits<signed char> : __integer_limits<signed char, -128, 127, true, 7> {};
template <> struct numeric_limits<unsigned char> : __integer_limits<unsigned char, 0, 255, false, 8> {};
template <> struct numeric_limits<short> : __integer_limits<short, -32768, 32767, true, 15> {};
template <> struct numeric_limits<unsigned short> : __integer_limits<unsigned short, 0, 65535, false, 16> {};
template <> struct numeric_limits<int> : __integer_limits<int, -2147483647 - 1, 2147483647, true, 31> {};
template <> struct numeric_limits<unsigned int> : __integer_limits<unsigned int, 0, 4294967295u, false, 32> {};
template <> struct numeric_limits<long long>
    : __integer_limits<long long, -9223372036854775807ll - 1, 9223372036854775807ll, true, 63> {};
template <> struct numeric_limits<unsigned long long>
    : __integer_limits<unsigned long long, 0, 18446744073709551615ull, false, 64> {};

// An enumeration is the integers that it is made of.
template <typename T> struct underlying_type {
    using type = T;
};
template <typename T> using underlying_type_t = T;

template <unsigned long long Bytes, unsigned long long Alignment = 16> struct aligned_storage {
    struct alignas(Alignment) type {
        unsigned char data[Bytes];
    };
};
template <unsigned long long Bytes, unsigned long long Alignment = 16>
using aligned_storage_t = typename aligned_storage<Bytes, Alignment>::type;

}
