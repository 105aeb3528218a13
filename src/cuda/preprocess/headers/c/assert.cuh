// <assert.h>.
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) __assert((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#endif
