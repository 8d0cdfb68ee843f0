#pragma OPENCL FP_CONTRACT OFF

__kernel void compacted_by_scan_0(
    __global int* restrict stage0,
    int n)
{
    __local int shared0[32] __attribute__((aligned(16)));
    __local int shared1[16] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 160); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        int acc0 = 0;
        for (int i0 = 0; i0 < 5; ++i0) {
            acc0 = (int)((uint)acc0 + (uint)((int)(((160 * group0 + 32 * i0 + item0) & 1) == 0)));
        }
        shared0[item0] = acc0;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int* from0 = shared0;
        __local int* into0 = shared1;
        int length0 = 16;
        for (int turn0 = 0; turn0 < 5; ++turn0) {
            int item1 = (int)get_local_id(0);
            if (item1 < length0) {
                int acc1 = 0;
                acc1 = (int)((uint)acc1 + (uint)from0[2 * item1]);
                acc1 = (int)((uint)acc1 + (uint)from0[2 * item1 + 1]);
                into0[item1] = acc1;
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

__kernel void compacted_by_scan_1(
    __global const int* restrict stage0,
    __global int* restrict stage1,
    int n)
{
    __local int shared0[31] __attribute__((aligned(16)));
    __local int shared1[32] __attribute__((aligned(16)));
    __local int shared2[8] __attribute__((aligned(16)));
    int item0 = (int)get_local_id(0);
    int acc0 = 0;
    for (int i0 = 0; i0 < ((n + 160) / 4960); ++i0) {
        const int t0 = (int)((uint)acc0 + (uint)(item0 * ((n + 160) / 4960) + i0 < 1 ? 0 : stage0[item0 * ((n + 160) / 4960) + i0 - 1]));
        acc0 = t0;
    }
    shared0[item0] = acc0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int item1 = (int)get_local_id(0);
    if (item1 < 7) {
        int acc1 = 0;
        for (int i1 = 0; i1 < 4; ++i1) {
            acc1 = (int)((uint)acc1 + (uint)(i1 + 4 * item1 < 1 ? 0 : shared0[i1 + 4 * item1 - 1]));
        }
        shared1[item1] = acc1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int item2 = (int)get_local_id(0);
    if (item2 < 1) {
        int acc2 = 0;
        acc2 = (int)((uint)acc2 + (uint)0);
        shared2[8 * item2] = acc2;
        acc2 = (int)((uint)acc2 + (uint)shared1[8 * item2]);
        shared2[8 * item2 + 1] = acc2;
        acc2 = (int)((uint)acc2 + (uint)shared1[8 * item2 + 1]);
        shared2[8 * item2 + 2] = acc2;
        acc2 = (int)((uint)acc2 + (uint)shared1[8 * item2 + 2]);
        shared2[8 * item2 + 3] = acc2;
        acc2 = (int)((uint)acc2 + (uint)shared1[8 * item2 + 3]);
        shared2[8 * item2 + 4] = acc2;
        acc2 = (int)((uint)acc2 + (uint)shared1[8 * item2 + 4]);
        shared2[8 * item2 + 5] = acc2;
        acc2 = (int)((uint)acc2 + (uint)shared1[8 * item2 + 5]);
        shared2[8 * item2 + 6] = acc2;
        acc2 = (int)((uint)acc2 + (uint)shared1[8 * item2 + 6]);
        shared2[8 * item2 + 7] = acc2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int item3 = (int)get_local_id(0);
    if (item3 < 8) {
        int acc3 = shared2[item3];
        acc3 = (int)((uint)acc3 + (uint)(4 * item3 < 1 ? 0 : shared0[4 * item3 - 1]));
        shared1[4 * item3] = acc3;
        acc3 = (int)((uint)acc3 + (uint)shared0[4 * item3]);
        shared1[4 * item3 + 1] = acc3;
        acc3 = (int)((uint)acc3 + (uint)shared0[4 * item3 + 1]);
        shared1[4 * item3 + 2] = acc3;
        acc3 = (int)((uint)acc3 + (uint)shared0[4 * item3 + 2]);
        shared1[4 * item3 + 3] = acc3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int item4 = (int)get_local_id(0);
    int acc4 = 0;
    for (int i2 = 0; i2 < ((n + 160) / 4960); ++i2) {
        const int t1 = (int)((uint)acc4 + (uint)(item4 * ((n + 160) / 4960) + i2 < 1 ? 0 : stage0[item4 * ((n + 160) / 4960) + i2 - 1]));
        stage1[item4 * ((n + 160) / 4960) + i2] = (int)((uint)shared1[item4] + (uint)t1);
        acc4 = t1;
    }
    int item5 = (int)get_local_id(0);
    if (item5 < 1) {
        int acc5 = 0;
        for (int i3 = 0; i3 < (((n / 160) + 1) % 31); ++i3) {
            const int t2 = (int)((uint)acc5 + (uint)(item5 * (((n / 160) + 1) % 31) + i3 + 31 * ((n + 160) / 4960) < 1 ? 0 : stage0[item5 * (((n / 160) + 1) % 31) + i3 + 31 * ((n + 160) / 4960) - 1]));
            stage1[item5 * (((n / 160) + 1) % 31) + i3 + 31 * ((n + 160) / 4960)] = (int)((uint)shared1[item5 + 31] + (uint)t2);
            acc5 = t2;
        }
    }
}

__kernel void compacted_by_scan_2(
    __global const float* restrict xs,
    __global const int* restrict stage1,
    __global float* restrict result,
    int n)
{
    __local int shared0[160] __attribute__((aligned(16)));
    __local int shared1[160] __attribute__((aligned(16)));
    __local int shared2[32] __attribute__((aligned(16)));
    __local int shared3[8] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 160); group0 += (int)get_num_groups(0)) {
        for (int i0 = 0; i0 < 5; ++i0) {
            int item0 = (int)get_local_id(0);
            shared0[32 * i0 + item0] = ((int)(((160 * group0 + 32 * i0 + item0) & 1) == 0));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item1 = (int)get_local_id(0);
        if (item1 < 31) {
            int acc0 = 0;
            for (int i1 = 0; i1 < 5; ++i1) {
                acc0 = (int)((uint)acc0 + (uint)shared0[i1 + 5 * item1]);
            }
            shared1[item1] = acc0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item2 = (int)get_local_id(0);
        if (item2 < 7) {
            int acc1 = 0;
            for (int i2 = 0; i2 < 4; ++i2) {
                acc1 = (int)((uint)acc1 + (uint)(i2 + 4 * item2 < 1 ? 0 : shared1[i2 + 4 * item2 - 1]));
            }
            shared2[item2] = acc1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item3 = (int)get_local_id(0);
        if (item3 < 1) {
            int acc2 = 0;
            acc2 = (int)((uint)acc2 + (uint)0);
            shared3[8 * item3] = acc2;
            acc2 = (int)((uint)acc2 + (uint)shared2[8 * item3]);
            shared3[8 * item3 + 1] = acc2;
            acc2 = (int)((uint)acc2 + (uint)shared2[8 * item3 + 1]);
            shared3[8 * item3 + 2] = acc2;
            acc2 = (int)((uint)acc2 + (uint)shared2[8 * item3 + 2]);
            shared3[8 * item3 + 3] = acc2;
            acc2 = (int)((uint)acc2 + (uint)shared2[8 * item3 + 3]);
            shared3[8 * item3 + 4] = acc2;
            acc2 = (int)((uint)acc2 + (uint)shared2[8 * item3 + 4]);
            shared3[8 * item3 + 5] = acc2;
            acc2 = (int)((uint)acc2 + (uint)shared2[8 * item3 + 5]);
            shared3[8 * item3 + 6] = acc2;
            acc2 = (int)((uint)acc2 + (uint)shared2[8 * item3 + 6]);
            shared3[8 * item3 + 7] = acc2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item4 = (int)get_local_id(0);
        if (item4 < 8) {
            int acc3 = shared3[item4];
            acc3 = (int)((uint)acc3 + (uint)(4 * item4 < 1 ? 0 : shared1[4 * item4 - 1]));
            shared2[4 * item4] = acc3;
            acc3 = (int)((uint)acc3 + (uint)shared1[4 * item4]);
            shared2[4 * item4 + 1] = acc3;
            acc3 = (int)((uint)acc3 + (uint)shared1[4 * item4 + 1]);
            shared2[4 * item4 + 2] = acc3;
            acc3 = (int)((uint)acc3 + (uint)shared1[4 * item4 + 2]);
            shared2[4 * item4 + 3] = acc3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item5 = (int)get_local_id(0);
        int acc4 = 0;
        const int t0 = (int)((uint)acc4 + (uint)shared0[5 * item5]);
        shared1[5 * item5] = (int)((uint)shared2[item5] + (uint)t0);
        acc4 = t0;
        const int t1 = (int)((uint)acc4 + (uint)shared0[5 * item5 + 1]);
        shared1[5 * item5 + 1] = (int)((uint)shared2[item5] + (uint)t1);
        acc4 = t1;
        const int t2 = (int)((uint)acc4 + (uint)shared0[5 * item5 + 2]);
        shared1[5 * item5 + 2] = (int)((uint)shared2[item5] + (uint)t2);
        acc4 = t2;
        const int t3 = (int)((uint)acc4 + (uint)shared0[5 * item5 + 3]);
        shared1[5 * item5 + 3] = (int)((uint)shared2[item5] + (uint)t3);
        acc4 = t3;
        const int t4 = (int)((uint)acc4 + (uint)shared0[5 * item5 + 4]);
        shared1[5 * item5 + 4] = (int)((uint)shared2[item5] + (uint)t4);
        acc4 = t4;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i3 = 0; i3 < 5; ++i3) {
            int item6 = (int)get_local_id(0);
            const int t5 = ((((160 * group0 + 32 * i3 + item6) & 1) == 0) ? (int)((uint)(int)((uint)stage1[group0] + (uint)shared1[32 * i3 + item6]) - (uint)1) : ((int)(((n + 1) / 2))));
            const int at0 = t5;
            if (at0 < ((n + 1) / 2)) {
                result[at0] = xs[160 * group0 + 32 * i3 + item6];
            }
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        int item7 = (int)get_local_id(0);
        if (item7 < 31) {
            int acc5 = 0;
            for (int i4 = 0; i4 < (((n % 160)) / 31); ++i4) {
                const int t6 = (int)((uint)acc5 + (uint)((int)(((group1 * (n % 160) + item7 * (((n % 160)) / 31) + i4 + 160 * (n / 160)) & 1) == 0)));
                acc5 = t6;
            }
            shared0[item7] = acc5;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item8 = (int)get_local_id(0);
        if (item8 < 7) {
            int acc6 = 0;
            for (int i5 = 0; i5 < 4; ++i5) {
                acc6 = (int)((uint)acc6 + (uint)(i5 + 4 * item8 < 1 ? 0 : shared0[i5 + 4 * item8 - 1]));
            }
            shared1[item8] = acc6;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item9 = (int)get_local_id(0);
        if (item9 < 1) {
            int acc7 = stage1[group1 + (n / 160)];
            acc7 = (int)((uint)acc7 + (uint)0);
            shared2[8 * item9] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item9]);
            shared2[8 * item9 + 1] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item9 + 1]);
            shared2[8 * item9 + 2] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item9 + 2]);
            shared2[8 * item9 + 3] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item9 + 3]);
            shared2[8 * item9 + 4] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item9 + 4]);
            shared2[8 * item9 + 5] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item9 + 5]);
            shared2[8 * item9 + 6] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item9 + 6]);
            shared2[8 * item9 + 7] = acc7;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item10 = (int)get_local_id(0);
        if (item10 < 8) {
            int acc8 = shared2[item10];
            acc8 = (int)((uint)acc8 + (uint)(4 * item10 < 1 ? 0 : shared0[4 * item10 - 1]));
            shared1[4 * item10] = acc8;
            acc8 = (int)((uint)acc8 + (uint)shared0[4 * item10]);
            shared1[4 * item10 + 1] = acc8;
            acc8 = (int)((uint)acc8 + (uint)shared0[4 * item10 + 1]);
            shared1[4 * item10 + 2] = acc8;
            acc8 = (int)((uint)acc8 + (uint)shared0[4 * item10 + 2]);
            shared1[4 * item10 + 3] = acc8;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item11 = (int)get_local_id(0);
        if (item11 < 31) {
            int acc9 = 0;
            for (int i6 = 0; i6 < (((n % 160)) / 31); ++i6) {
                const int t7 = (int)((uint)acc9 + (uint)((int)(((group1 * (n % 160) + item11 * (((n % 160)) / 31) + i6 + 160 * (n / 160)) & 1) == 0)));
                const int t8 = ((((group1 * (n % 160) + item11 * (((n % 160)) / 31) + i6 + 160 * (n / 160)) & 1) == 0) ? (int)((uint)(int)((uint)shared1[item11] + (uint)t7) - (uint)1) : ((int)(((n + 1) / 2))));
                const int at1 = t8;
                if (at1 < ((n + 1) / 2)) {
                    result[at1] = xs[group1 * (n % 160) + item11 * (((n % 160)) / 31) + i6 + 160 * (n / 160)];
                }
                acc9 = t7;
            }
        }
        int item12 = (int)get_local_id(0);
        if (item12 < 1) {
            int acc10 = 0;
            for (int i7 = 0; i7 < (n % 160) - 31 * (((n % 160)) / 31); ++i7) {
                const int t9 = ((group1 * (n % 160) + item12 * (n % 160) + i7 + 31 * (((n % 160)) / 31) + 160 * (n / 160) - 31 * item12 * (((n % 160)) / 31)) & 1);
                const int t10 = (int)((uint)acc10 + (uint)((int)(t9 == 0)));
                const int t11 = ((group1 * (n % 160) + item12 * (n % 160) + i7 + 31 * (((n % 160)) / 31) + 160 * (n / 160) - 31 * item12 * (((n % 160)) / 31)) & 1);
                const int t12 = ((t11 == 0) ? (int)((uint)(int)((uint)shared1[item12 + 31] + (uint)t10) - (uint)1) : ((int)(((n + 1) / 2))));
                const int at2 = t12;
                if (at2 < ((n + 1) / 2)) {
                    result[at2] = xs[group1 * (n % 160) + item12 * (n % 160) + i7 + 31 * (((n % 160)) / 31) + 160 * (n / 160) - 31 * item12 * (((n % 160)) / 31)];
                }
                acc10 = t10;
            }
        }
    }
}
