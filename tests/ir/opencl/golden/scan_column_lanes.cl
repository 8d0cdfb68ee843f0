#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void scan_column_lanes(
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < (m / 4)) {
        float4 acc0 = (float4)(0.0f);
        for (int i0 = 0; i0 < n; ++i0) {
            acc0 = (acc0 + fabs(*(__global const unaligned_float4*)(xss + (i0 * m + 4 * item0))));
            vstore4(acc0, 0, result + (i0 * m + 4 * item0));
        }
    }
    int item1 = (int)get_global_id(0);
    if (item1 < (m % 4)) {
        float acc1 = 0.0f;
        for (int i1 = 0; i1 < n; ++i1) {
            acc1 = (acc1 + fabs(xss[i1 * m + item1 + 4 * (m / 4)]));
            result[i1 * m + item1 + 4 * (m / 4)] = acc1;
        }
    }
}
