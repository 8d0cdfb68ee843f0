#pragma OPENCL FP_CONTRACT OFF
int floor_div(int a, int b) {
    int q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

__kernel void scan_of_folded_sums_0(
    __global const float* restrict xs,
    __global float* restrict stage0,
    int n)
{
    __local float shared0[8] __attribute__((aligned(16)));
    __local float shared1[8] __attribute__((aligned(16)));
    __local float shared2[4] __attribute__((aligned(16)));
    __local float shared3[4] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 24); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        float acc0 = (-0.0f);
        float acc1 = (-0.0f);
        const float t0 = ((fabs(xs[24 * group0 + item0]) + fabs(xs[24 * group0 + item0 + 8])) + fabs(xs[24 * group0 + item0 + 16]));
        const float t1 = (acc0 + t0);
        const float t2 = (t1 - acc0);
        const float next0 = t1;
        const float next1 = ((acc1 + (-0.0f)) + ((acc0 - (t1 - t2)) + (t0 - t2)));
        acc0 = next0;
        acc1 = next1;
        shared0[item0] = acc0;
        shared1[item0] = acc1;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from0 = shared0;
        __local float* into0 = shared2;
        __local float* from1 = shared1;
        __local float* into1 = shared3;
        int length0 = 4;
        for (int turn0 = 0; turn0 < 3; ++turn0) {
            int item1 = (int)get_local_id(0);
            if (item1 < length0) {
                const float e0 = from0[2 * item1];
                const float e1 = from0[2 * item1 + 1];
                const float t3 = (e0 + e1);
                into0[item1] = t3;
                const float t4 = (t3 - e0);
                into1[item1] = ((from1[2 * item1] + from1[2 * item1 + 1]) + ((e0 - (t3 - t4)) + (e1 - t4)));
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float* swap0 = from0;
            from0 = into0;
            into0 = swap0;
            __local float* swap1 = from1;
            from1 = into1;
            into1 = swap1;
            length0 = length0 / 2;
        }
        int item2 = (int)get_local_id(0);
        if (item2 < 1) {
            const float e2 = from1[item2];
            const float e3 = from0[item2];
            stage0[group0 + item2] = ((fabs(e2) > (-0.0f)) ? (e3 + e2) : e3);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scan_of_folded_sums_1(
    __global const float* restrict xs,
    __global const float* restrict stage0,
    __global float* restrict result,
    int n)
{
    float kept0[3];
    __local float shared0[24] __attribute__((aligned(16)));
    __local float shared1[8] __attribute__((aligned(16)));
    __local float shared4[8] __attribute__((aligned(16)));
    __local float shared8[4] __attribute__((aligned(16)));
    __local float shared9[4] __attribute__((aligned(16)));
    __local float shared10[1];
    for (int group0 = (int)get_group_id(0); group0 < (n / 24); group0 += (int)get_num_groups(0)) {
        for (int i0 = 0; i0 < 3; ++i0) {
            int item0 = (int)get_local_id(0);
            shared0[8 * i0 + item0] = fabs(xs[8 * i0 + item0 + 24 * (n / 24) - 24 * group0 - 24]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item1 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item1];
        kept0[1] = shared0[3 * item1 + 1];
        kept0[2] = shared0[3 * item1 + 2];
        int item2 = (int)get_local_id(0);
        if (item2 < 7) {
            float acc0 = (-0.0f);
            for (int i1 = 0; i1 < 3; ++i1) {
                acc0 = (acc0 + kept0[i1]);
            }
            shared1[item2] = acc0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item3 = (int)get_local_id(0);
        const float t0 = ((item3 < 1 ? (-0.0f) : (item3 - 1 < 1 ? (-0.0f) : shared1[item3 - 2])) + (item3 < 1 ? (-0.0f) : shared1[item3 - 1]));
        shared0[item3] = t0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item4 = (int)get_local_id(0);
        shared1[item4] = ((item4 < 2 ? (-0.0f) : shared0[item4 - 2]) + shared0[item4]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item5 = (int)get_local_id(0);
        shared4[item5] = ((item5 < 4 ? (-0.0f) : shared1[item5 - 4]) + shared1[item5]);
        int item6 = (int)get_local_id(0);
        float acc1 = (-0.0f);
        const float t1 = (acc1 + kept0[0]);
        shared0[3 * item6] = (shared4[item6] + t1);
        acc1 = t1;
        const float t2 = (acc1 + kept0[1]);
        shared0[3 * item6 + 1] = (shared4[item6] + t2);
        acc1 = t2;
        const float t3 = (acc1 + kept0[2]);
        shared0[3 * item6 + 2] = (shared4[item6] + t3);
        acc1 = t3;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item8 = (int)get_local_id(0);
        float acc2 = (-0.0f);
        float acc3 = (-0.0f);
        for (int i3 = 0; i3 < -floor_div(-(n / 24), 64); ++i3) {
            const int e0 = ((n / 24) - group0 - 1);
            const float t4 = (((64 * i3 + item8) < e0) ? (64 * i3 + item8 < (n / 24) ? stage0[64 * i3 + item8] : (-0.0f)) : (-0.0f));
            const float t5 = (((64 * i3 + item8 + 8) < e0) ? (64 * i3 + item8 + 8 < (n / 24) ? stage0[64 * i3 + item8 + 8] : (-0.0f)) : (-0.0f));
            const float t6 = (((64 * i3 + item8 + 16) < e0) ? (64 * i3 + item8 + 16 < (n / 24) ? stage0[64 * i3 + item8 + 16] : (-0.0f)) : (-0.0f));
            const float t7 = (((64 * i3 + item8 + 24) < e0) ? (64 * i3 + item8 + 24 < (n / 24) ? stage0[64 * i3 + item8 + 24] : (-0.0f)) : (-0.0f));
            const float t8 = (((64 * i3 + item8 + 32) < e0) ? (64 * i3 + item8 + 32 < (n / 24) ? stage0[64 * i3 + item8 + 32] : (-0.0f)) : (-0.0f));
            const float t9 = (((64 * i3 + item8 + 40) < e0) ? (64 * i3 + item8 + 40 < (n / 24) ? stage0[64 * i3 + item8 + 40] : (-0.0f)) : (-0.0f));
            const float t10 = (((64 * i3 + item8 + 48) < e0) ? (64 * i3 + item8 + 48 < (n / 24) ? stage0[64 * i3 + item8 + 48] : (-0.0f)) : (-0.0f));
            const float t11 = (((64 * i3 + item8 + 56) < e0) ? (64 * i3 + item8 + 56 < (n / 24) ? stage0[64 * i3 + item8 + 56] : (-0.0f)) : (-0.0f));
            const float t12 = (((t4 + t5) + (t6 + t7)) + ((t8 + t9) + (t10 + t11)));
            const float t13 = (acc2 + t12);
            const float t14 = (t13 - acc2);
            const float next0 = t13;
            const float next1 = ((acc3 + (-0.0f)) + ((acc2 - (t13 - t14)) + (t12 - t14)));
            acc2 = next0;
            acc3 = next1;
        }
        shared4[item8] = acc2;
        shared1[item8] = acc3;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from0 = shared4;
        __local float* into0 = shared8;
        __local float* from1 = shared1;
        __local float* into1 = shared9;
        int length0 = 4;
        for (int turn0 = 0; turn0 < 3; ++turn0) {
            int item9 = (int)get_local_id(0);
            if (item9 < length0) {
                const float e1 = from0[2 * item9];
                const float e2 = from0[2 * item9 + 1];
                const float t15 = (e1 + e2);
                into0[item9] = t15;
                const float t16 = (t15 - e1);
                into1[item9] = ((from1[2 * item9] + from1[2 * item9 + 1]) + ((e1 - (t15 - t16)) + (e2 - t16)));
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float* swap0 = from0;
            from0 = into0;
            into0 = swap0;
            __local float* swap1 = from1;
            from1 = into1;
            into1 = swap1;
            length0 = length0 / 2;
        }
        int item10 = (int)get_local_id(0);
        if (item10 < 1) {
            const float e3 = from1[item10];
            const float e4 = from0[item10];
            shared10[item10] = ((fabs(e3) > (-0.0f)) ? (e4 + e3) : e4);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i2 = 0; i2 < 3; ++i2) {
            int item7 = (int)get_local_id(0);
            result[8 * i2 + item7 + 24 * (n / 24) - 24 * group0 - 24] = ((0.0f + shared10[0]) + shared0[8 * i2 + item7]);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        for (int i4 = 0; i4 < 3; ++i4) {
            int item11 = (int)get_local_id(0);
            shared0[8 * i4 + item11] = fabs((8 * i4 + item11 < (n % 24) ? xs[group1 * (n % 24) + 8 * i4 + item11 + 24 * (n / 24)] : 0.0f));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item12 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item12];
        kept0[1] = shared0[3 * item12 + 1];
        kept0[2] = shared0[3 * item12 + 2];
        int item13 = (int)get_local_id(0);
        if (item13 < 7) {
            float acc4 = (-0.0f);
            for (int i5 = 0; i5 < 3; ++i5) {
                acc4 = (acc4 + kept0[i5]);
            }
            shared1[item13] = acc4;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item14 = (int)get_local_id(0);
        const float t17 = ((item14 < 1 ? (-0.0f) : (item14 - 1 < 1 ? (-0.0f) : shared1[item14 - 2])) + (item14 < 1 ? (-0.0f) : shared1[item14 - 1]));
        shared0[item14] = t17;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item15 = (int)get_local_id(0);
        shared1[item15] = ((item15 < 2 ? (-0.0f) : shared0[item15 - 2]) + shared0[item15]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item16 = (int)get_local_id(0);
        shared4[item16] = ((item16 < 4 ? (-0.0f) : shared1[item16 - 4]) + shared1[item16]);
        int item17 = (int)get_local_id(0);
        float acc5 = (-0.0f);
        const float t18 = (acc5 + kept0[0]);
        shared0[3 * item17] = (shared4[item17] + t18);
        acc5 = t18;
        const float t19 = (acc5 + kept0[1]);
        shared0[3 * item17 + 1] = (shared4[item17] + t19);
        acc5 = t19;
        const float t20 = (acc5 + kept0[2]);
        shared0[3 * item17 + 2] = (shared4[item17] + t20);
        acc5 = t20;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item19 = (int)get_local_id(0);
        float acc6 = (-0.0f);
        float acc7 = (-0.0f);
        for (int i7 = 0; i7 < -floor_div(-(n / 24), 64); ++i7) {
            const int e5 = (group1 + (n / 24));
            const float t21 = (((64 * i7 + item19) < e5) ? (64 * i7 + item19 < (n / 24) ? stage0[64 * i7 + item19] : (-0.0f)) : (-0.0f));
            const float t22 = (((64 * i7 + item19 + 8) < e5) ? (64 * i7 + item19 + 8 < (n / 24) ? stage0[64 * i7 + item19 + 8] : (-0.0f)) : (-0.0f));
            const float t23 = (((64 * i7 + item19 + 16) < e5) ? (64 * i7 + item19 + 16 < (n / 24) ? stage0[64 * i7 + item19 + 16] : (-0.0f)) : (-0.0f));
            const float t24 = (((64 * i7 + item19 + 24) < e5) ? (64 * i7 + item19 + 24 < (n / 24) ? stage0[64 * i7 + item19 + 24] : (-0.0f)) : (-0.0f));
            const float t25 = (((64 * i7 + item19 + 32) < e5) ? (64 * i7 + item19 + 32 < (n / 24) ? stage0[64 * i7 + item19 + 32] : (-0.0f)) : (-0.0f));
            const float t26 = (((64 * i7 + item19 + 40) < e5) ? (64 * i7 + item19 + 40 < (n / 24) ? stage0[64 * i7 + item19 + 40] : (-0.0f)) : (-0.0f));
            const float t27 = (((64 * i7 + item19 + 48) < e5) ? (64 * i7 + item19 + 48 < (n / 24) ? stage0[64 * i7 + item19 + 48] : (-0.0f)) : (-0.0f));
            const float t28 = (((64 * i7 + item19 + 56) < e5) ? (64 * i7 + item19 + 56 < (n / 24) ? stage0[64 * i7 + item19 + 56] : (-0.0f)) : (-0.0f));
            const float t29 = (((t21 + t22) + (t23 + t24)) + ((t25 + t26) + (t27 + t28)));
            const float t30 = (acc6 + t29);
            const float t31 = (t30 - acc6);
            const float next2 = t30;
            const float next3 = ((acc7 + (-0.0f)) + ((acc6 - (t30 - t31)) + (t29 - t31)));
            acc6 = next2;
            acc7 = next3;
        }
        shared4[item19] = acc6;
        shared1[item19] = acc7;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from2 = shared4;
        __local float* into2 = shared8;
        __local float* from3 = shared1;
        __local float* into3 = shared9;
        int length1 = 4;
        for (int turn1 = 0; turn1 < 3; ++turn1) {
            int item20 = (int)get_local_id(0);
            if (item20 < length1) {
                const float e6 = from2[2 * item20];
                const float e7 = from2[2 * item20 + 1];
                const float t32 = (e6 + e7);
                into2[item20] = t32;
                const float t33 = (t32 - e6);
                into3[item20] = ((from3[2 * item20] + from3[2 * item20 + 1]) + ((e6 - (t32 - t33)) + (e7 - t33)));
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float* swap2 = from2;
            from2 = into2;
            into2 = swap2;
            __local float* swap3 = from3;
            from3 = into3;
            into3 = swap3;
            length1 = length1 / 2;
        }
        int item21 = (int)get_local_id(0);
        if (item21 < 1) {
            const float e8 = from3[item21];
            const float e9 = from2[item21];
            shared10[item21] = ((fabs(e8) > (-0.0f)) ? (e9 + e8) : e9);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i6 = 0; i6 < 3; ++i6) {
            int item18 = (int)get_local_id(0);
            if (8 * i6 + item18 < (n % 24)) {
                result[group1 * (n % 24) + 8 * i6 + item18 + 24 * (n / 24)] = ((0.0f + shared10[0]) + shared0[8 * i6 + item18]);
            }
        }
    }
}
