#pragma OPENCL FP_CONTRACT OFF
int floor_div(int a, int b) {
    int q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

__kernel void scan_tree_0(
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

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scan_tree_1(
    __global const float* restrict stage0,
    __global float* restrict stage1,
    int n)
{
    __local float shared0[40] __attribute__((aligned(16)));
    __local float shared1[8] __attribute__((aligned(16)));
    __local float shared4[8] __attribute__((aligned(16)));
    float acc0 = 0.0f;
    float acc1 = (-0.0f);
    for (int i0 = 0; i0 < 1 - floor_div(39 - (n / 24), 40); ++i0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i1 = 0; i1 < 5; ++i1) {
            int item0 = (int)get_local_id(0);
            shared0[8 * i1 + item0] = (40 * i0 + 8 * i1 + item0 < (n / 24) + 1 ? (40 * i0 + 8 * i1 + item0 < 1 ? (-0.0f) : stage0[40 * i0 + 8 * i1 + item0 - 1]) : 0.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float kept0[5];
        int item1 = (int)get_local_id(0);
        kept0[0] = shared0[5 * item1];
        kept0[1] = shared0[5 * item1 + 1];
        kept0[2] = shared0[5 * item1 + 2];
        kept0[3] = shared0[5 * item1 + 3];
        kept0[4] = shared0[5 * item1 + 4];
        int item2 = (int)get_local_id(0);
        if (item2 < 7) {
            float acc2 = (-0.0f);
            float acc3 = (-0.0f);
            for (int i2 = 0; i2 < 5; ++i2) {
                const float e0 = kept0[i2];
                const float t0 = (acc2 + e0);
                const float t1 = (t0 - acc2);
                const float next0 = t0;
                const float next1 = ((acc3 + (-0.0f)) + ((acc2 - (t0 - t1)) + (e0 - t1)));
                acc2 = next0;
                acc3 = next1;
            }
            shared1[item2] = ((fabs(acc3) > (-0.0f)) ? (acc2 + acc3) : acc2);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item3 = (int)get_local_id(0);
        const float t2 = ((item3 < 1 ? (-0.0f) : (item3 - 1 < 1 ? (-0.0f) : shared1[item3 - 2])) + (item3 < 1 ? (-0.0f) : shared1[item3 - 1]));
        shared0[item3] = t2;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item4 = (int)get_local_id(0);
        shared1[item4] = ((item4 < 2 ? (-0.0f) : shared0[item4 - 2]) + shared0[item4]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item5 = (int)get_local_id(0);
        shared4[item5] = ((item5 < 4 ? (-0.0f) : shared1[item5 - 4]) + shared1[item5]);
        int item6 = (int)get_local_id(0);
        float acc4 = (-0.0f);
        float acc5 = (-0.0f);
        const float e1 = kept0[0];
        const float t3 = (acc4 + e1);
        const float t4 = (t3 - acc4);
        const float t5 = ((acc5 + (-0.0f)) + ((acc4 - (t3 - t4)) + (e1 - t4)));
        shared0[5 * item6] = (shared4[item6] + ((fabs(t5) > (-0.0f)) ? (t3 + t5) : t3));
        acc4 = t3;
        acc5 = t5;
        const float e2 = kept0[1];
        const float t6 = (acc4 + e2);
        const float t7 = (t6 - acc4);
        const float t8 = ((acc5 + (-0.0f)) + ((acc4 - (t6 - t7)) + (e2 - t7)));
        shared0[5 * item6 + 1] = (shared4[item6] + ((fabs(t8) > (-0.0f)) ? (t6 + t8) : t6));
        acc4 = t6;
        acc5 = t8;
        const float e3 = kept0[2];
        const float t9 = (acc4 + e3);
        const float t10 = (t9 - acc4);
        const float t11 = ((acc5 + (-0.0f)) + ((acc4 - (t9 - t10)) + (e3 - t10)));
        shared0[5 * item6 + 2] = (shared4[item6] + ((fabs(t11) > (-0.0f)) ? (t9 + t11) : t9));
        acc4 = t9;
        acc5 = t11;
        const float e4 = kept0[3];
        const float t12 = (acc4 + e4);
        const float t13 = (t12 - acc4);
        const float t14 = ((acc5 + (-0.0f)) + ((acc4 - (t12 - t13)) + (e4 - t13)));
        shared0[5 * item6 + 3] = (shared4[item6] + ((fabs(t14) > (-0.0f)) ? (t12 + t14) : t12));
        acc4 = t12;
        acc5 = t14;
        const float e5 = kept0[4];
        const float t15 = (acc4 + e5);
        const float t16 = (t15 - acc4);
        const float t17 = ((acc5 + (-0.0f)) + ((acc4 - (t15 - t16)) + (e5 - t16)));
        shared0[5 * item6 + 4] = (shared4[item6] + ((fabs(t17) > (-0.0f)) ? (t15 + t17) : t15));
        acc4 = t15;
        acc5 = t17;
        barrier(CLK_LOCAL_MEM_FENCE);
        float acc6 = acc0;
        float acc7 = acc1;
        const float e6 = shared0[39];
        const float t18 = (acc6 + e6);
        const float t19 = (t18 - acc6);
        const float next2 = t18;
        const float next3 = ((acc7 + (-0.0f)) + ((acc6 - (t18 - t19)) + (e6 - t19)));
        acc6 = next2;
        acc7 = next3;
        for (int i3 = 0; i3 < 5; ++i3) {
            int item7 = (int)get_local_id(0);
            if (40 * i0 + 8 * i3 + item7 < (n / 24) + 1) {
                stage1[40 * i0 + 8 * i3 + item7] = (((fabs(acc1) > (-0.0f)) ? (acc0 + acc1) : acc0) + shared0[8 * i3 + item7]);
            }
        }
        acc0 = acc6;
        acc1 = acc7;
    }
}

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scan_tree_2(
    __global const float* restrict xs,
    __global const float* restrict stage1,
    __global float* restrict result,
    int n)
{
    float kept0[3];
    __local float shared0[24] __attribute__((aligned(16)));
    __local float shared1[8] __attribute__((aligned(16)));
    __local float shared4[8] __attribute__((aligned(16)));
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
        for (int i2 = 0; i2 < 3; ++i2) {
            int item7 = (int)get_local_id(0);
            result[8 * i2 + item7 + 24 * (n / 24) - 24 * group0 - 24] = (stage1[(n / 24) - group0 - 1] + shared0[8 * i2 + item7]);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        for (int i3 = 0; i3 < 3; ++i3) {
            int item8 = (int)get_local_id(0);
            shared0[8 * i3 + item8] = fabs((8 * i3 + item8 < (n % 24) ? xs[group1 * (n % 24) + 8 * i3 + item8 + 24 * (n / 24)] : 0.0f));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item9 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item9];
        kept0[1] = shared0[3 * item9 + 1];
        kept0[2] = shared0[3 * item9 + 2];
        int item10 = (int)get_local_id(0);
        if (item10 < 7) {
            float acc2 = (-0.0f);
            for (int i4 = 0; i4 < 3; ++i4) {
                acc2 = (acc2 + kept0[i4]);
            }
            shared1[item10] = acc2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item11 = (int)get_local_id(0);
        const float t4 = ((item11 < 1 ? (-0.0f) : (item11 - 1 < 1 ? (-0.0f) : shared1[item11 - 2])) + (item11 < 1 ? (-0.0f) : shared1[item11 - 1]));
        shared0[item11] = t4;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item12 = (int)get_local_id(0);
        shared1[item12] = ((item12 < 2 ? (-0.0f) : shared0[item12 - 2]) + shared0[item12]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item13 = (int)get_local_id(0);
        shared4[item13] = ((item13 < 4 ? (-0.0f) : shared1[item13 - 4]) + shared1[item13]);
        int item14 = (int)get_local_id(0);
        float acc3 = (-0.0f);
        const float t5 = (acc3 + kept0[0]);
        shared0[3 * item14] = (shared4[item14] + t5);
        acc3 = t5;
        const float t6 = (acc3 + kept0[1]);
        shared0[3 * item14 + 1] = (shared4[item14] + t6);
        acc3 = t6;
        const float t7 = (acc3 + kept0[2]);
        shared0[3 * item14 + 2] = (shared4[item14] + t7);
        acc3 = t7;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i5 = 0; i5 < 3; ++i5) {
            int item15 = (int)get_local_id(0);
            if (8 * i5 + item15 < (n % 24)) {
                result[group1 * (n % 24) + 8 * i5 + item15 + 24 * (n / 24)] = (stage1[group1 + (n / 24)] + shared0[8 * i5 + item15]);
            }
        }
    }
}
