#pragma OPENCL FP_CONTRACT OFF
typedef float2 __attribute__((aligned(sizeof(float)))) unaligned_float2;

__kernel void scan_row_parts(
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        float kept0[2];
        for (int i0 = 0; i0 < 2; ++i0) {
            float kept1;
            float kept2;
            float kept3;
            float kept4;
            float2 acc0 = (float2)((-0.0f));
            float2 acc1 = (float2)((-0.0f));
            for (int i1 = 0; i1 < (m / 16); ++i1) {
                const float2 t0 = (*(__global const unaligned_float2*)(xss + (2 * i0 * (m / 4) + item0 * m + 8 * i1)) + *(__global const unaligned_float2*)(xss + (2 * i0 * (m / 4) + item0 * m + 8 * i1 + 2)));
                const float2 t1 = (*(__global const unaligned_float2*)(xss + (2 * i0 * (m / 4) + item0 * m + 8 * i1 + 4)) + *(__global const unaligned_float2*)(xss + (2 * i0 * (m / 4) + item0 * m + 8 * i1 + 6)));
                const float2 t2 = (t0 + t1);
                const float2 t3 = (acc0 + t2);
                const float2 t4 = (t3 - acc0);
                const float2 next0 = t3;
                const float2 next1 = ((acc1 + (float2)((-0.0f))) + ((acc0 - (t3 - t4)) + (t2 - t4)));
                acc0 = next0;
                acc1 = next1;
            }
            const float t5 = (acc0.s0 + acc0.s1);
            kept3 = t5;
            const float t6 = (t5 - acc0.s0);
            kept4 = ((acc1.s0 + acc1.s1) + ((acc0.s0 - (t5 - t6)) + (acc0.s1 - t6)));
            float acc2 = (-0.0f);
            float acc3 = (-0.0f);
            for (int i2 = 0; i2 < 2 * (((m / 4)) % 4); ++i2) {
                const float e0 = xss[2 * i0 * (m / 4) + item0 * m + i2 + 8 * (m / 16)];
                const float t7 = (acc2 + e0);
                const float t8 = (t7 - acc2);
                const float next2 = t7;
                const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t7 - t8)) + (e0 - t8)));
                acc2 = next2;
                acc3 = next3;
            }
            const float e1 = kept3;
            const float t9 = (e1 + acc2);
            kept1 = t9;
            const float t10 = (t9 - e1);
            kept2 = ((kept4 + acc3) + ((e1 - (t9 - t10)) + (acc2 - t10)));
            const float e2 = kept2;
            const float e3 = kept1;
            kept0[i0] = ((fabs(e2) > (-0.0f)) ? (e3 + e2) : e3);
        }
        float kept5[3];
        float acc4 = 0.0f;
        float acc5 = (-0.0f);
        const float t11 = (acc4 + (-0.0f));
        const float t12 = (t11 - acc4);
        const float t13 = ((acc5 + (-0.0f)) + ((acc4 - (t11 - t12)) + ((-0.0f) - t12)));
        kept5[0] = ((fabs(t13) > (-0.0f)) ? (t11 + t13) : t11);
        acc4 = t11;
        acc5 = t13;
        const float e4 = kept0[0];
        const float t14 = (acc4 + e4);
        const float t15 = (t14 - acc4);
        const float t16 = ((acc5 + (-0.0f)) + ((acc4 - (t14 - t15)) + (e4 - t15)));
        kept5[1] = ((fabs(t16) > (-0.0f)) ? (t14 + t16) : t14);
        acc4 = t14;
        acc5 = t16;
        const float e5 = kept0[1];
        const float t17 = (acc4 + e5);
        const float t18 = (t17 - acc4);
        const float t19 = ((acc5 + (-0.0f)) + ((acc4 - (t17 - t18)) + (e5 - t18)));
        kept5[2] = ((fabs(t19) > (-0.0f)) ? (t17 + t19) : t17);
        acc4 = t17;
        acc5 = t19;
        for (int i3 = 0; i3 < 2; ++i3) {
            float acc6 = (-0.0f);
            float acc7 = (-0.0f);
            for (int i4 = 0; i4 < (m / 4); ++i4) {
                const float2 e6 = *(__global const unaligned_float2*)(xss + (2 * i3 * (m / 4) + item0 * m + 2 * i4));
                const float2 t20 = ((float2)((-0.0f), e6.s0) + e6);
                const float t21 = (acc6 + t20.s1);
                const float t22 = (t21 - acc6);
                *(__global unaligned_float2*)(result + (2 * i3 * (m / 4) + item0 * m + 2 * i4)) = ((float2)(kept5[i3]) + ((float2)(((fabs(acc7) > (-0.0f)) ? (acc6 + acc7) : acc6)) + t20));
                const float next4 = t21;
                const float next5 = ((acc7 + (-0.0f)) + ((acc6 - (t21 - t22)) + (t20.s1 - t22)));
                acc6 = next4;
                acc7 = next5;
            }
        }
        float acc8 = (-0.0f);
        float acc9 = (-0.0f);
        for (int i5 = 0; i5 < (m % 4); ++i5) {
            const float e7 = xss[item0 * m + i5 + 4 * (m / 4)];
            const float t23 = (acc8 + e7);
            const float t24 = (t23 - acc8);
            const float t25 = ((acc9 + (-0.0f)) + ((acc8 - (t23 - t24)) + (e7 - t24)));
            result[item0 * m + i5 + 4 * (m / 4)] = (kept5[2] + ((fabs(t25) > (-0.0f)) ? (t23 + t25) : t23));
            acc8 = t23;
            acc9 = t25;
        }
    }
}
