/* A CUDA runtime with one GPU that is none: preloaded, it lets a core run where there is no GPU as if there were one.
 *
 * The core asks the CUDA runtime how many GPUs there are, of which compute capability, and how much memory is free; with
 * that it decides about `kind` and `gpus` of instance groups. Memory "of the GPU" is the host's. Nothing is computed.
 * Beside a real H200, on 24.10: the same outcome for all 790 models of 499 made repositories.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int cudaError_t; /* 0: success */
typedef struct stream *cudaStream_t;

enum { INVALID_DEVICE = 101, NOT_SUPPORTED = 801 };

/* struct cudaDeviceProp of CUDA 11 and 12 up to what is asked for; behind it come some 600 bytes more. */
struct properties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  size_t total_global_mem, shared_mem_per_block;
  int regs_per_block, warp_size;
  size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_rate;
  size_t total_const_mem;
  int major, minor;
};

static const size_t MEMORY = (size_t)16 << 30;

cudaError_t cudaGetDeviceCount(int *count) { *count = 1; return 0; }
cudaError_t cudaGetDevice(int *device) { *device = 0; return 0; }
cudaError_t cudaSetDevice(int device) { return device == 0 ? 0 : INVALID_DEVICE; }

cudaError_t cudaGetDeviceProperties(struct properties *found, int device)
{
  if (device != 0) return INVALID_DEVICE;
  memset(found, 0, sizeof *found);
  strcpy(found->name, "none");
  found->total_global_mem = MEMORY;
  found->warp_size = 32;
  found->major = 8;
  found->minor = 6;
  return 0;
}
cudaError_t cudaGetDeviceProperties_v2(struct properties *found, int device)
{
  return cudaGetDeviceProperties(found, device);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
  if (device != 0 || length < 13) return INVALID_DEVICE;
  strcpy(id, "0000:00:00.0");
  return 0;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return 0; }
cudaError_t cudaDeviceCanAccessPeer(int *can, int a, int b) { (void)a; (void)b; *can = 0; return 0; }
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) { (void)peer; (void)flags; return INVALID_DEVICE; }
cudaError_t cudaMemGetInfo(size_t *spare, size_t *total) { *spare = *total = MEMORY; return 0; }

static cudaError_t reserve(void **at, size_t size) { *at = malloc(size ? size : 1); return *at ? 0 : 2; }
cudaError_t cudaMalloc(void **at, size_t size) { return reserve(at, size); }
cudaError_t cudaMallocManaged(void **at, size_t size, unsigned flags) { (void)flags; return reserve(at, size); }
cudaError_t cudaHostAlloc(void **at, size_t size, unsigned flags) { (void)flags; return reserve(at, size); }
cudaError_t cudaFree(void *at) { free(at); return 0; }
cudaError_t cudaFreeHost(void *at) { free(at); return 0; }

cudaError_t cudaMemset(void *at, int value, size_t count) { memset(at, value, count); return 0; }
cudaError_t cudaMemcpy(void *to, const void *from, size_t count, int kind)
{
  (void)kind;
  memmove(to, from, count);
  return 0;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, int kind, cudaStream_t stream)
{
  (void)stream;
  return cudaMemcpy(to, from, count, kind);
}
cudaError_t cudaMemcpyPeer(void *to, int a, const void *from, int b, size_t count)
{
  (void)a; (void)b;
  return cudaMemcpy(to, from, count, 0);
}
cudaError_t cudaMemPrefetchAsync(const void *at, size_t count, int device, cudaStream_t stream)
{
  (void)at; (void)count; (void)device; (void)stream;
  return 0;
}

static cudaError_t new_stream(cudaStream_t *stream) { *stream = malloc(1); return 0; }
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return new_stream(stream); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
  (void)flags; (void)priority;
  return new_stream(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { free(stream); return 0; }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { (void)stream; return 0; }
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) { (void)stream; *flags = 0; return 0; }
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*run)(void *), void *with)
{
  (void)stream;
  run(with);
  return 0;
}
cudaError_t cudaEventRecord(void *event, cudaStream_t stream) { (void)event; (void)stream; return 0; }
cudaError_t cudaEventSynchronize(void *event) { (void)event; return 0; }
cudaError_t cudaGetLastError(void) { return 0; }
const char *cudaGetErrorString(cudaError_t error) { return error == 0 ? "no error" : "there is no GPU"; }
