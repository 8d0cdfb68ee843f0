#pragma OPENCL FP_CONTRACT OFF
long limited_long(long i, long last) { return i < 0 ? 0 : i > last ? last : i; }
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void gathered_lanes(
    __global const long* restrict js,
    __global const float* restrict xs,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < 2 * m) {
        const int at0 = (int)limited_long(js[4 * item0], n - 1);
        const int at2 = (int)limited_long(js[4 * item0 + 1], n - 1);
        const int at3 = (int)limited_long(js[4 * item0 + 2], n - 1);
        const int at4 = (int)limited_long(js[4 * item0 + 3], n - 1);
        *(__global unaligned_float4*)(result + (4 * item0)) = ((float4)(xs[at0], xs[at2], xs[at3], xs[at4]) * (float4)(2.0f));
    }
}
