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
        float acc2 = (-0.0f);
        float acc3 = (-0.0f);
        const float t5 = (acc2 + acc0.s0);
        const float t6 = (t5 - acc2);
        const float next2 = t5;
        const float next3 = ((acc3 + acc1.s0) + ((acc2 - (t5 - t6)) + (acc0.s0 - t6)));
        acc2 = next2;
        acc3 = next3;
        const float t7 = (acc2 + acc0.s1);
        const float t8 = (t7 - acc2);
        const float next4 = t7;
        const float next5 = ((acc3 + acc1.s1) + ((acc2 - (t7 - t8)) + (acc0.s1 - t8)));
        acc2 = next4;
        acc3 = next5;
        float acc4 = (-0.0f);
        float acc5 = (-0.0f);
        for (int i2 = 0; i2 < 2 * (((m / 4)) % 4); ++i2) {
            const float e0 = xss[2 * i0 * (m / 4) + item0 * m + i2 + 8 * (m / 16)];
            const float t9 = (acc4 + e0);
            const float t10 = (t9 - acc4);
            const float next6 = t9;
            const float next7 = ((acc5 + (-0.0f)) + ((acc4 - (t9 - t10)) + (e0 - t10)));
            acc4 = next6;
            acc5 = next7;
        }
        float acc6 = (-0.0f);
        float acc7 = (-0.0f);
        const float t11 = (acc6 + acc2);
        const float t12 = (t11 - acc6);
        const float next8 = t11;
        const float next9 = ((acc7 + acc3) + ((acc6 - (t11 - t12)) + (acc2 - t12)));
        acc6 = next8;
        acc7 = next9;
        const float t13 = (acc6 + acc4);
        const float t14 = (t13 - acc6);
        const float next10 = t13;
        const float next11 = ((acc7 + acc5) + ((acc6 - (t13 - t14)) + (acc4 - t14)));
        acc6 = next10;
        acc7 = next11;
        kept0[i0] = ((fabs(acc7) > (-0.0f)) ? (acc6 + acc7) : acc6);
    }
    float kept1[3];
    float acc8 = 0.0f;
    float acc9 = (-0.0f);
    const float t15 = (acc8 + (-0.0f));
    const float t16 = (t15 - acc8);
    const float t17 = ((acc9 + (-0.0f)) + ((acc8 - (t15 - t16)) + ((-0.0f) - t16)));
    kept1[0] = ((fabs(t17) > (-0.0f)) ? (t15 + t17) : t15);
    acc8 = t15;
    acc9 = t17;
    const float e1 = kept0[0];
    const float t18 = (acc8 + e1);
    const float t19 = (t18 - acc8);
    const float t20 = ((acc9 + (-0.0f)) + ((acc8 - (t18 - t19)) + (e1 - t19)));
    kept1[1] = ((fabs(t20) > (-0.0f)) ? (t18 + t20) : t18);
    acc8 = t18;
    acc9 = t20;
    const float e2 = kept0[1];
    const float t21 = (acc8 + e2);
    const float t22 = (t21 - acc8);
    const float t23 = ((acc9 + (-0.0f)) + ((acc8 - (t21 - t22)) + (e2 - t22)));
    kept1[2] = ((fabs(t23) > (-0.0f)) ? (t21 + t23) : t21);
    acc8 = t21;
    acc9 = t23;
    for (int i3 = 0; i3 < 2; ++i3) {
        float acc10 = (-0.0f);
        float acc11 = (-0.0f);
        for (int i4 = 0; i4 < (m / 4); ++i4) {
            const float2 e3 = *(__global const unaligned_float2*)(xss + (2 * i3 * (m / 4) + item0 * m + 2 * i4));
            const float2 t24 = ((float2)((-0.0f), e3.s0) + e3);
            const float t25 = (acc10 + t24.s1);
            const float t26 = (t25 - acc10);
            vstore2(((float2)(kept1[i3]) + ((float2)(((fabs(acc11) > (-0.0f)) ? (acc10 + acc11) : acc10)) + t24)), 0, result + (2 * i3 * (m / 4) + item0 * m + 2 * i4));
            const float next12 = t25;
            const float next13 = ((acc11 + (-0.0f)) + ((acc10 - (t25 - t26)) + (t24.s1 - t26)));
            acc10 = next12;
            acc11 = next13;
        }
    }
    float acc12 = (-0.0f);
    float acc13 = (-0.0f);
    for (int i5 = 0; i5 < (m % 4); ++i5) {
        const float e4 = xss[item0 * m + i5 + 4 * (m / 4)];
        const float t27 = (acc12 + e4);
        const float t28 = (t27 - acc12);
        const float t29 = ((acc13 + (-0.0f)) + ((acc12 - (t27 - t28)) + (e4 - t28)));
        result[item0 * m + i5 + 4 * (m / 4)] = (kept1[2] + ((fabs(t29) > (-0.0f)) ? (t27 + t29) : t27));
        acc12 = t27;
        acc13 = t29;
    }
}
