#pragma OPENCL FP_CONTRACT OFF
#if defined(__x86_64__) || defined(__aarch64__)
#define PREFETCH_READ(p) __builtin_prefetch((const void *)(size_t)(p), 0)
#define PREFETCH_WRITE(p) __builtin_prefetch((const void *)(size_t)(p), 1)
#else
#define PREFETCH_READ(p) prefetch(p, 1)
#define PREFETCH_WRITE(p) prefetch(p, 1)
#endif
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void streams(
    __global const float* restrict xs,
    __global const float* restrict ys,
    __global float* restrict result,
    int n)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < (n / 32); ++i0) {
        PREFETCH_READ(xs + (8 * group0 * (n / 32) + 4 * i0 + 16));
        PREFETCH_READ(ys + (8 * group0 * (n / 32) + 4 * i0 + 16));
        PREFETCH_READ(xs + (8 * group0 * (n / 32) + 4 * i0 + 4 * (n / 32) + 16));
        PREFETCH_READ(ys + (8 * group0 * (n / 32) + 4 * i0 + 4 * (n / 32) + 16));
        PREFETCH_WRITE(result + (8 * group0 * (n / 32) + 4 * i0 + 16));
        PREFETCH_WRITE(result + (8 * group0 * (n / 32) + 4 * i0 + 4 * (n / 32) + 16));
        const float4 t0 = ((*(__global const unaligned_float4*)(xs + (8 * group0 * (n / 32) + 4 * i0)) * (float4)(3.0f)) + *(__global const unaligned_float4*)(ys + (8 * group0 * (n / 32) + 4 * i0)));
        *(__global unaligned_float4*)(result + (8 * group0 * (n / 32) + 4 * i0)) = t0;
        const float4 t1 = (*(__global const unaligned_float4*)(xs + (8 * group0 * (n / 32) + 4 * i0 + 4 * (n / 32))) * (float4)(3.0f));
        *(__global unaligned_float4*)(result + (8 * group0 * (n / 32) + 4 * i0 + 4 * (n / 32))) = (t1 + *(__global const unaligned_float4*)(ys + (8 * group0 * (n / 32) + 4 * i0 + 4 * (n / 32))));
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i1 = 0; i1 < (n % 32); ++i1) {
            result[group1 * (n % 32) + i1 + 32 * (n / 32)] = ((xs[group1 * (n % 32) + i1 + 32 * (n / 32)] * 3.0f) + ys[group1 * (n % 32) + i1 + 32 * (n / 32)]);
        }
    }
}
