#pragma OPENCL FP_CONTRACT OFF
typedef float2 __attribute__((aligned(sizeof(float)))) unaligned_float2;

__kernel void scan_row_parts(
    __global const float* restrict xss,
    __global float* restrict result,
    int m)
{
    int item0 = (int)get_global_id(0);
    float kept0[2];
    for (int i0 = 0; i0 < 2; ++i0) {
        float2 kept1;
        float2 acc0 = (float2)((-0.0f));
        float2 acc1 = (float2)((-0.0f));
        float2 acc2 = (float2)((-0.0f));
        float2 acc3 = (float2)((-0.0f));
        for (int i1 = 0; i1 < (m / 16); ++i1) {
            acc0 = (acc0 + *(__global const unaligned_float2*)(xss + (2 * i0 * (m / 4) + item0 * m + 8 * i1)));
            acc1 = (acc1 + *(__global const unaligned_float2*)(xss + (2 * i0 * (m / 4) + item0 * m + 8 * i1 + 2)));
            acc2 = (acc2 + *(__global const unaligned_float2*)(xss + (2 * i0 * (m / 4) + item0 * m + 8 * i1 + 4)));
            acc3 = (acc3 + *(__global const unaligned_float2*)(xss + (2 * i0 * (m / 4) + item0 * m + 8 * i1 + 6)));
        }
        kept1 = (acc0 + (acc1 + (acc2 + acc3)));
        float acc4 = (-0.0f);
        acc4 = (acc4 + kept1.s0);
        acc4 = (acc4 + kept1.s1);
        float acc5 = (-0.0f);
        for (int i2 = 0; i2 < 2 * (((m / 4)) % 4); ++i2) {
            acc5 = (acc5 + xss[2 * i0 * (m / 4) + item0 * m + i2 + 8 * (m / 16)]);
        }
        float acc6 = (-0.0f);
        acc6 = (acc6 + acc4);
        acc6 = (acc6 + acc5);
        kept0[i0] = acc6;
    }
    float kept2[3];
    float acc7 = 0.0f;
    acc7 = (acc7 + (-0.0f));
    kept2[0] = acc7;
    acc7 = (acc7 + kept0[0]);
    kept2[1] = acc7;
    acc7 = (acc7 + kept0[1]);
    kept2[2] = acc7;
    for (int i3 = 0; i3 < 2; ++i3) {
        float2 acc8 = (float2)((-0.0f));
        for (int i4 = 0; i4 < (m / 4); ++i4) {
            const float2 e0 = *(__global const unaligned_float2*)(xss + (2 * i3 * (m / 4) + item0 * m + 2 * i4));
            const float2 t0 = ((float2)(acc8.s1) + ((float2)((-0.0f), e0.s0) + e0));
            vstore2(((float2)(kept2[i3]) + t0), 0, result + (2 * i3 * (m / 4) + item0 * m + 2 * i4));
            acc8 = t0;
        }
    }
    float acc9 = (-0.0f);
    for (int i5 = 0; i5 < (m % 4); ++i5) {
        const float t1 = (acc9 + xss[item0 * m + i5 + 4 * (m / 4)]);
        result[item0 * m + i5 + 4 * (m / 4)] = (kept2[2] + t1);
        acc9 = t1;
    }
}
