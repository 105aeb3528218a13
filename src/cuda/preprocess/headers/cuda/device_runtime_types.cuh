// The types of the same, for kernels that have no code of the host.
enum cudaError { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
typedef enum cudaError cudaError_t;
struct CUstream_st;
typedef struct CUstream_st* cudaStream_t;
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaStreamTailLaunch = 3, cudaStreamFireAndForget = 4 };
