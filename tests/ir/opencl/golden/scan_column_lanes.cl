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
        float4 acc1 = (float4)((-0.0f));
        for (int i0 = 0; i0 < n; ++i0) {
            const float4 t0 = fabs(*(__global const unaligned_float4*)(xss + (i0 * m + 4 * item0)));
            const float4 t1 = (acc0 + t0);
            const float4 t2 = (t1 - acc0);
            const float4 t3 = ((acc1 + (float4)((-0.0f))) + ((acc0 - (t1 - t2)) + (t0 - t2)));
            *(__global unaligned_float4*)(result + (i0 * m + 4 * item0)) = ((fabs(t3) > (float4)((-0.0f))) ? (t1 + t3) : t1);
            acc0 = t1;
            acc1 = t3;
        }
    }
    int item1 = (int)get_global_id(0);
    if (item1 < (m % 4)) {
        float acc2 = 0.0f;
        float acc3 = (-0.0f);
        for (int i1 = 0; i1 < n; ++i1) {
            const float t4 = fabs(xss[i1 * m + item1 + 4 * (m / 4)]);
            const float t5 = (acc2 + t4);
            const float t6 = (t5 - acc2);
            const float t7 = ((acc3 + (-0.0f)) + ((acc2 - (t5 - t6)) + (t4 - t6)));
            result[i1 * m + item1 + 4 * (m / 4)] = ((fabs(t7) > (-0.0f)) ? (t5 + t7) : t5);
            acc2 = t5;
            acc3 = t7;
        }
    }
}
