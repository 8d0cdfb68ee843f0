#pragma OPENCL FP_CONTRACT OFF
int abs_int(int a) { return a < 0 ? (int)(0 - (uint)a) : a; }
int floor_div(int a, int b) {
    int q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

__kernel void scan_used_0(
    __global const int* restrict is,
    __global int* restrict stage0,
    int n)
{
    __local int shared0[32] __attribute__((aligned(16)));
    __local int shared1[16] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 160); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        int acc0 = 0;
        int acc1 = 0;
        int acc2 = 0;
        int acc3 = 0;
        int acc4 = 0;
        acc0 = (int)((uint)acc0 + (uint)abs_int(is[160 * group0 + item0]));
        acc1 = (int)((uint)acc1 + (uint)abs_int(is[160 * group0 + item0 + 32]));
        acc2 = (int)((uint)acc2 + (uint)abs_int(is[160 * group0 + item0 + 64]));
        acc3 = (int)((uint)acc3 + (uint)abs_int(is[160 * group0 + item0 + 96]));
        acc4 = (int)((uint)acc4 + (uint)abs_int(is[160 * group0 + item0 + 128]));
        const int t0 = (int)((uint)acc0 + (uint)(int)((uint)acc1 + (uint)(int)((uint)acc2 + (uint)(int)((uint)acc3 + (uint)acc4))));
        shared0[item0] = t0;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int* from0 = shared0;
        __local int* into0 = shared1;
        int length0 = 16;
        for (int turn0 = 0; turn0 < 5; ++turn0) {
            int item1 = (int)get_local_id(0);
            if (item1 < length0) {
                int acc5 = 0;
                acc5 = (int)((uint)acc5 + (uint)from0[2 * item1]);
                acc5 = (int)((uint)acc5 + (uint)from0[2 * item1 + 1]);
                into0[item1] = acc5;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local int* swap0 = from0;
            from0 = into0;
            into0 = swap0;
            length0 = length0 / 2;
        }
        int item2 = (int)get_local_id(0);
        if (item2 < 1) {
            stage0[group0 + item2] = from0[item2];
        }
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void scan_used_1(
    __global const int* restrict stage0,
    __global int* restrict stage1,
    int n)
{
    __local int shared0[160] __attribute__((aligned(16)));
    __local int shared1[32] __attribute__((aligned(16)));
    __local int shared6[32] __attribute__((aligned(16)));
    int acc0 = 3;
    for (int i0 = 0; i0 < 1 - floor_div(159 - (n / 160), 160); ++i0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i1 = 0; i1 < 5; ++i1) {
            int item0 = (int)get_local_id(0);
            shared0[32 * i1 + item0] = (160 * i0 + 32 * i1 + item0 < (n / 160) + 1 ? (160 * i0 + 32 * i1 + item0 < 1 ? 0 : stage0[160 * i0 + 32 * i1 + item0 - 1]) : 0);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int kept0[5];
        int item1 = (int)get_local_id(0);
        kept0[0] = shared0[5 * item1];
        kept0[1] = shared0[5 * item1 + 1];
        kept0[2] = shared0[5 * item1 + 2];
        kept0[3] = shared0[5 * item1 + 3];
        kept0[4] = shared0[5 * item1 + 4];
        int item2 = (int)get_local_id(0);
        if (item2 < 31) {
            int acc1 = 0;
            for (int i2 = 0; i2 < 5; ++i2) {
                acc1 = (int)((uint)acc1 + (uint)kept0[i2]);
            }
            shared1[item2] = acc1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item3 = (int)get_local_id(0);
        const int t0 = (int)((uint)(item3 < 1 ? 0 : (item3 - 1 < 1 ? 0 : shared1[item3 - 2])) + (uint)(item3 < 1 ? 0 : shared1[item3 - 1]));
        shared0[item3] = t0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item4 = (int)get_local_id(0);
        shared1[item4] = (int)((uint)(item4 < 2 ? 0 : shared0[item4 - 2]) + (uint)shared0[item4]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item5 = (int)get_local_id(0);
        shared0[item5] = (int)((uint)(item5 < 4 ? 0 : shared1[item5 - 4]) + (uint)shared1[item5]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item6 = (int)get_local_id(0);
        shared1[item6] = (int)((uint)(item6 < 8 ? 0 : shared0[item6 - 8]) + (uint)shared0[item6]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item7 = (int)get_local_id(0);
        shared6[item7] = (int)((uint)(item7 < 16 ? 0 : shared1[item7 - 16]) + (uint)shared1[item7]);
        int item8 = (int)get_local_id(0);
        int acc2 = 0;
        const int t1 = (int)((uint)acc2 + (uint)kept0[0]);
        shared0[5 * item8] = (int)((uint)shared6[item8] + (uint)t1);
        acc2 = t1;
        const int t2 = (int)((uint)acc2 + (uint)kept0[1]);
        shared0[5 * item8 + 1] = (int)((uint)shared6[item8] + (uint)t2);
        acc2 = t2;
        const int t3 = (int)((uint)acc2 + (uint)kept0[2]);
        shared0[5 * item8 + 2] = (int)((uint)shared6[item8] + (uint)t3);
        acc2 = t3;
        const int t4 = (int)((uint)acc2 + (uint)kept0[3]);
        shared0[5 * item8 + 3] = (int)((uint)shared6[item8] + (uint)t4);
        acc2 = t4;
        const int t5 = (int)((uint)acc2 + (uint)kept0[4]);
        shared0[5 * item8 + 4] = (int)((uint)shared6[item8] + (uint)t5);
        acc2 = t5;
        barrier(CLK_LOCAL_MEM_FENCE);
        int acc3 = acc0;
        acc3 = (int)((uint)acc3 + (uint)shared0[159]);
        for (int i3 = 0; i3 < 5; ++i3) {
            int item9 = (int)get_local_id(0);
            if (160 * i0 + 32 * i3 + item9 < (n / 160) + 1) {
                stage1[160 * i0 + 32 * i3 + item9] = (int)((uint)acc0 + (uint)shared0[32 * i3 + item9]);
            }
        }
        acc0 = acc3;
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void scan_used_2(
    __global const int* restrict is,
    __global const int* restrict js,
    __global const int* restrict stage1,
    __global int* restrict result,
    int n)
{
    int kept0[5];
    __local int shared0[160] __attribute__((aligned(16)));
    __local int shared1[32] __attribute__((aligned(16)));
    __local int shared6[32] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 160); group0 += (int)get_num_groups(0)) {
        for (int i0 = 0; i0 < 5; ++i0) {
            int item0 = (int)get_local_id(0);
            shared0[32 * i0 + item0] = abs_int(is[32 * i0 + item0 + 160 * (n / 160) - 160 * group0 - 160]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item1 = (int)get_local_id(0);
        kept0[0] = shared0[5 * item1];
        kept0[1] = shared0[5 * item1 + 1];
        kept0[2] = shared0[5 * item1 + 2];
        kept0[3] = shared0[5 * item1 + 3];
        kept0[4] = shared0[5 * item1 + 4];
        int item2 = (int)get_local_id(0);
        if (item2 < 31) {
            int acc0 = 0;
            for (int i1 = 0; i1 < 5; ++i1) {
                acc0 = (int)((uint)acc0 + (uint)kept0[i1]);
            }
            shared1[item2] = acc0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item3 = (int)get_local_id(0);
        const int t0 = (int)((uint)(item3 < 1 ? 0 : (item3 - 1 < 1 ? 0 : shared1[item3 - 2])) + (uint)(item3 < 1 ? 0 : shared1[item3 - 1]));
        shared0[item3] = t0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item4 = (int)get_local_id(0);
        shared1[item4] = (int)((uint)(item4 < 2 ? 0 : shared0[item4 - 2]) + (uint)shared0[item4]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item5 = (int)get_local_id(0);
        shared0[item5] = (int)((uint)(item5 < 4 ? 0 : shared1[item5 - 4]) + (uint)shared1[item5]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item6 = (int)get_local_id(0);
        shared1[item6] = (int)((uint)(item6 < 8 ? 0 : shared0[item6 - 8]) + (uint)shared0[item6]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item7 = (int)get_local_id(0);
        shared6[item7] = (int)((uint)(item7 < 16 ? 0 : shared1[item7 - 16]) + (uint)shared1[item7]);
        int item8 = (int)get_local_id(0);
        int acc1 = 0;
        const int t1 = (int)((uint)acc1 + (uint)kept0[0]);
        shared0[5 * item8] = (int)((uint)shared6[item8] + (uint)t1);
        acc1 = t1;
        const int t2 = (int)((uint)acc1 + (uint)kept0[1]);
        shared0[5 * item8 + 1] = (int)((uint)shared6[item8] + (uint)t2);
        acc1 = t2;
        const int t3 = (int)((uint)acc1 + (uint)kept0[2]);
        shared0[5 * item8 + 2] = (int)((uint)shared6[item8] + (uint)t3);
        acc1 = t3;
        const int t4 = (int)((uint)acc1 + (uint)kept0[3]);
        shared0[5 * item8 + 3] = (int)((uint)shared6[item8] + (uint)t4);
        acc1 = t4;
        const int t5 = (int)((uint)acc1 + (uint)kept0[4]);
        shared0[5 * item8 + 4] = (int)((uint)shared6[item8] + (uint)t5);
        acc1 = t5;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i2 = 0; i2 < 5; ++i2) {
            int item9 = (int)get_local_id(0);
            const int t6 = (int)((uint)(int)((uint)is[32 * i2 + item9 + 160 * (n / 160) - 160 * group0 - 160] * (uint)2) - (uint)(int)((uint)stage1[(n / 160) - group0 - 1] + (uint)shared0[32 * i2 + item9]));
            result[32 * i2 + item9 + 160 * (n / 160) - 160 * group0 - 160] = (int)((uint)t6 + (uint)js[32 * i2 + item9 + 160 * (n / 160) - 160 * group0 - 160]);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        for (int i3 = 0; i3 < 5; ++i3) {
            int item10 = (int)get_local_id(0);
            const int t7 = abs_int((32 * i3 + item10 < (n % 160) ? is[group1 * (n % 160) + 32 * i3 + item10 + 160 * (n / 160)] : 0));
            shared0[32 * i3 + item10] = t7;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item11 = (int)get_local_id(0);
        kept0[0] = shared0[5 * item11];
        kept0[1] = shared0[5 * item11 + 1];
        kept0[2] = shared0[5 * item11 + 2];
        kept0[3] = shared0[5 * item11 + 3];
        kept0[4] = shared0[5 * item11 + 4];
        int item12 = (int)get_local_id(0);
        if (item12 < 31) {
            int acc2 = 0;
            for (int i4 = 0; i4 < 5; ++i4) {
                acc2 = (int)((uint)acc2 + (uint)kept0[i4]);
            }
            shared1[item12] = acc2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item13 = (int)get_local_id(0);
        const int t8 = (int)((uint)(item13 < 1 ? 0 : (item13 - 1 < 1 ? 0 : shared1[item13 - 2])) + (uint)(item13 < 1 ? 0 : shared1[item13 - 1]));
        shared0[item13] = t8;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item14 = (int)get_local_id(0);
        shared1[item14] = (int)((uint)(item14 < 2 ? 0 : shared0[item14 - 2]) + (uint)shared0[item14]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item15 = (int)get_local_id(0);
        shared0[item15] = (int)((uint)(item15 < 4 ? 0 : shared1[item15 - 4]) + (uint)shared1[item15]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item16 = (int)get_local_id(0);
        shared1[item16] = (int)((uint)(item16 < 8 ? 0 : shared0[item16 - 8]) + (uint)shared0[item16]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item17 = (int)get_local_id(0);
        shared6[item17] = (int)((uint)(item17 < 16 ? 0 : shared1[item17 - 16]) + (uint)shared1[item17]);
        int item18 = (int)get_local_id(0);
        int acc3 = 0;
        const int t9 = (int)((uint)acc3 + (uint)kept0[0]);
        shared0[5 * item18] = (int)((uint)shared6[item18] + (uint)t9);
        acc3 = t9;
        const int t10 = (int)((uint)acc3 + (uint)kept0[1]);
        shared0[5 * item18 + 1] = (int)((uint)shared6[item18] + (uint)t10);
        acc3 = t10;
        const int t11 = (int)((uint)acc3 + (uint)kept0[2]);
        shared0[5 * item18 + 2] = (int)((uint)shared6[item18] + (uint)t11);
        acc3 = t11;
        const int t12 = (int)((uint)acc3 + (uint)kept0[3]);
        shared0[5 * item18 + 3] = (int)((uint)shared6[item18] + (uint)t12);
        acc3 = t12;
        const int t13 = (int)((uint)acc3 + (uint)kept0[4]);
        shared0[5 * item18 + 4] = (int)((uint)shared6[item18] + (uint)t13);
        acc3 = t13;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i5 = 0; i5 < 5; ++i5) {
            int item19 = (int)get_local_id(0);
            const int t14 = (int)((uint)(32 * i5 + item19 < (n % 160) ? is[group1 * (n % 160) + 32 * i5 + item19 + 160 * (n / 160)] : 0) * (uint)2);
            const int t15 = (int)((uint)(int)((uint)t14 - (uint)(int)((uint)stage1[group1 + (n / 160)] + (uint)shared0[32 * i5 + item19])) + (uint)(32 * i5 + item19 < (n % 160) ? js[group1 * (n % 160) + 32 * i5 + item19 + 160 * (n / 160)] : 0));
            if (32 * i5 + item19 < (n % 160)) {
                result[group1 * (n % 160) + 32 * i5 + item19 + 160 * (n / 160)] = t15;
            }
        }
    }
}
