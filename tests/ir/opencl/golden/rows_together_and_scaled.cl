#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void rows_together_and_scaled(
    __global const float* restrict ys,
    __global const float* restrict zs,
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    int group0 = (int)get_group_id(0);
    if (group0 < (n / 8)) {
        for (int i0 = 0; i0 < 4; ++i0) {
            float4 acc0 = (float4)(0.0f);
            float4 acc1 = (float4)(0.0f);
            for (int i1 = 0; i1 < (m / 4); ++i1) {
                const float4 e0 = *(__global const unaligned_float4*)(ys + (4 * i1));
                const float4 t0 = (acc1 + (*(__global const unaligned_float4*)(xss + (8 * group0 * m + i0 * m + 4 * i1 + 4 * m)) * e0));
                acc0 = (acc0 + (*(__global const unaligned_float4*)(xss + (8 * group0 * m + i0 * m + 4 * i1)) * e0));
                acc1 = t0;
            }
            float acc2 = 0.0f;
            float acc3 = 0.0f;
            acc2 = (acc2 + acc0.s0);
            acc3 = (acc3 + acc1.s0);
            acc2 = (acc2 + acc0.s1);
            acc3 = (acc3 + acc1.s1);
            acc2 = (acc2 + acc0.s2);
            acc3 = (acc3 + acc1.s2);
            acc2 = (acc2 + acc0.s3);
            acc3 = (acc3 + acc1.s3);
            float acc4 = 0.0f;
            float acc5 = 0.0f;
            for (int i2 = 0; i2 < (m % 4); ++i2) {
                const float e1 = ys[i2 + 4 * (m / 4)];
                acc4 = (acc4 + (xss[8 * group0 * m + i0 * m + i2 + 4 * (m / 4)] * e1));
                acc5 = (acc5 + (xss[8 * group0 * m + i0 * m + i2 + 4 * m + 4 * (m / 4)] * e1));
            }
            float acc6 = 0.0f;
            float acc7 = 0.0f;
            acc6 = (acc6 + acc2);
            acc7 = (acc7 + acc3);
            acc6 = (acc6 + acc4);
            acc7 = (acc7 + acc5);
            result[8 * group0 + i0] = ((acc6 * 3.0f) + (zs[8 * group0 + i0] * 2.0f));
            result[8 * group0 + i0 + 4] = ((acc7 * 3.0f) + (zs[8 * group0 + i0 + 4] * 2.0f));
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < (n % 8)) {
        float4 acc8 = (float4)(0.0f);
        for (int i3 = 0; i3 < (m / 4); ++i3) {
            const float4 t1 = (*(__global const unaligned_float4*)(xss + (group1 * m + 8 * m * (n / 8) + 4 * i3)) * *(__global const unaligned_float4*)(ys + (4 * i3)));
            acc8 = (acc8 + t1);
        }
        float acc9 = 0.0f;
        acc9 = (acc9 + acc8.s0);
        acc9 = (acc9 + acc8.s1);
        acc9 = (acc9 + acc8.s2);
        acc9 = (acc9 + acc8.s3);
        float acc10 = 0.0f;
        for (int i4 = 0; i4 < (m % 4); ++i4) {
            acc10 = (acc10 + (xss[group1 * m + 8 * m * (n / 8) + i4 + 4 * (m / 4)] * ys[i4 + 4 * (m / 4)]));
        }
        float acc11 = 0.0f;
        acc11 = (acc11 + acc9);
        acc11 = (acc11 + acc10);
        result[group1 + 8 * (n / 8)] = ((acc11 * 3.0f) + (zs[group1 + 8 * (n / 8)] * 2.0f));
    }
}
