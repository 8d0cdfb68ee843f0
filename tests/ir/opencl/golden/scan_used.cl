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
    __local int shared0[8] __attribute__((aligned(16)));
    __local int shared1[4] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 24); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        int acc0 = 0;
        int acc1 = 0;
        int acc2 = 0;
        acc0 = (int)((uint)acc0 + (uint)abs_int(is[24 * group0 + item0]));
        acc1 = (int)((uint)acc1 + (uint)abs_int(is[24 * group0 + item0 + 8]));
        acc2 = (int)((uint)acc2 + (uint)abs_int(is[24 * group0 + item0 + 16]));
        shared0[item0] = (int)((uint)acc0 + (uint)(int)((uint)acc1 + (uint)acc2));
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int* from0 = shared0;
        __local int* into0 = shared1;
        int length0 = 4;
        for (int turn0 = 0; turn0 < 3; ++turn0) {
            int item1 = (int)get_local_id(0);
            if (item1 < length0) {
                int acc3 = 0;
                acc3 = (int)((uint)acc3 + (uint)from0[2 * item1]);
                acc3 = (int)((uint)acc3 + (uint)from0[2 * item1 + 1]);
                into0[item1] = acc3;
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

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scan_used_1(
    __global const int* restrict stage0,
    __global int* restrict stage1,
    int n)
{
    __local int shared0[40] __attribute__((aligned(16)));
    __local int shared1[8] __attribute__((aligned(16)));
    __local int shared4[8] __attribute__((aligned(16)));
    int acc0 = 3;
    for (int i0 = 0; i0 < 1 - floor_div(39 - (n / 24), 40); ++i0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i1 = 0; i1 < 5; ++i1) {
            int item0 = (int)get_local_id(0);
            shared0[8 * i1 + item0] = (40 * i0 + 8 * i1 + item0 < (n / 24) + 1 ? (40 * i0 + 8 * i1 + item0 < 1 ? 0 : stage0[40 * i0 + 8 * i1 + item0 - 1]) : 0);
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
        if (item2 < 7) {
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
        shared4[item5] = (int)((uint)(item5 < 4 ? 0 : shared1[item5 - 4]) + (uint)shared1[item5]);
        int item6 = (int)get_local_id(0);
        int acc2 = 0;
        const int t1 = (int)((uint)acc2 + (uint)kept0[0]);
        shared0[5 * item6] = (int)((uint)shared4[item6] + (uint)t1);
        acc2 = t1;
        const int t2 = (int)((uint)acc2 + (uint)kept0[1]);
        shared0[5 * item6 + 1] = (int)((uint)shared4[item6] + (uint)t2);
        acc2 = t2;
        const int t3 = (int)((uint)acc2 + (uint)kept0[2]);
        shared0[5 * item6 + 2] = (int)((uint)shared4[item6] + (uint)t3);
        acc2 = t3;
        const int t4 = (int)((uint)acc2 + (uint)kept0[3]);
        shared0[5 * item6 + 3] = (int)((uint)shared4[item6] + (uint)t4);
        acc2 = t4;
        const int t5 = (int)((uint)acc2 + (uint)kept0[4]);
        shared0[5 * item6 + 4] = (int)((uint)shared4[item6] + (uint)t5);
        acc2 = t5;
        barrier(CLK_LOCAL_MEM_FENCE);
        int acc3 = acc0;
        acc3 = (int)((uint)acc3 + (uint)shared0[39]);
        for (int i3 = 0; i3 < 5; ++i3) {
            int item7 = (int)get_local_id(0);
            if (40 * i0 + 8 * i3 + item7 < (n / 24) + 1) {
                stage1[40 * i0 + 8 * i3 + item7] = (int)((uint)acc0 + (uint)shared0[8 * i3 + item7]);
            }
        }
        acc0 = acc3;
    }
}

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scan_used_2(
    __global const int* restrict is,
    __global const int* restrict js,
    __global const int* restrict stage1,
    __global int* restrict result,
    int n)
{
    int kept0[3];
    __local int shared0[24] __attribute__((aligned(16)));
    __local int shared1[8] __attribute__((aligned(16)));
    __local int shared4[8] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 24); group0 += (int)get_num_groups(0)) {
        for (int i0 = 0; i0 < 3; ++i0) {
            int item0 = (int)get_local_id(0);
            shared0[8 * i0 + item0] = abs_int(is[8 * i0 + item0 + 24 * (n / 24) - 24 * group0 - 24]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item1 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item1];
        kept0[1] = shared0[3 * item1 + 1];
        kept0[2] = shared0[3 * item1 + 2];
        int item2 = (int)get_local_id(0);
        if (item2 < 7) {
            int acc0 = 0;
            for (int i1 = 0; i1 < 3; ++i1) {
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
        shared4[item5] = (int)((uint)(item5 < 4 ? 0 : shared1[item5 - 4]) + (uint)shared1[item5]);
        int item6 = (int)get_local_id(0);
        int acc1 = 0;
        const int t1 = (int)((uint)acc1 + (uint)kept0[0]);
        shared0[3 * item6] = (int)((uint)shared4[item6] + (uint)t1);
        acc1 = t1;
        const int t2 = (int)((uint)acc1 + (uint)kept0[1]);
        shared0[3 * item6 + 1] = (int)((uint)shared4[item6] + (uint)t2);
        acc1 = t2;
        const int t3 = (int)((uint)acc1 + (uint)kept0[2]);
        shared0[3 * item6 + 2] = (int)((uint)shared4[item6] + (uint)t3);
        acc1 = t3;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i2 = 0; i2 < 3; ++i2) {
            int item7 = (int)get_local_id(0);
            const int t4 = (int)((uint)(int)((uint)is[8 * i2 + item7 + 24 * (n / 24) - 24 * group0 - 24] * (uint)2) - (uint)(int)((uint)stage1[(n / 24) - group0 - 1] + (uint)shared0[8 * i2 + item7]));
            result[8 * i2 + item7 + 24 * (n / 24) - 24 * group0 - 24] = (int)((uint)t4 + (uint)js[8 * i2 + item7 + 24 * (n / 24) - 24 * group0 - 24]);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        for (int i3 = 0; i3 < 3; ++i3) {
            int item8 = (int)get_local_id(0);
            shared0[8 * i3 + item8] = abs_int((8 * i3 + item8 < (n % 24) ? is[group1 * (n % 24) + 8 * i3 + item8 + 24 * (n / 24)] : 0));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item9 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item9];
        kept0[1] = shared0[3 * item9 + 1];
        kept0[2] = shared0[3 * item9 + 2];
        int item10 = (int)get_local_id(0);
        if (item10 < 7) {
            int acc2 = 0;
            for (int i4 = 0; i4 < 3; ++i4) {
                acc2 = (int)((uint)acc2 + (uint)kept0[i4]);
            }
            shared1[item10] = acc2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item11 = (int)get_local_id(0);
        const int t5 = (int)((uint)(item11 < 1 ? 0 : (item11 - 1 < 1 ? 0 : shared1[item11 - 2])) + (uint)(item11 < 1 ? 0 : shared1[item11 - 1]));
        shared0[item11] = t5;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item12 = (int)get_local_id(0);
        shared1[item12] = (int)((uint)(item12 < 2 ? 0 : shared0[item12 - 2]) + (uint)shared0[item12]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item13 = (int)get_local_id(0);
        shared4[item13] = (int)((uint)(item13 < 4 ? 0 : shared1[item13 - 4]) + (uint)shared1[item13]);
        int item14 = (int)get_local_id(0);
        int acc3 = 0;
        const int t6 = (int)((uint)acc3 + (uint)kept0[0]);
        shared0[3 * item14] = (int)((uint)shared4[item14] + (uint)t6);
        acc3 = t6;
        const int t7 = (int)((uint)acc3 + (uint)kept0[1]);
        shared0[3 * item14 + 1] = (int)((uint)shared4[item14] + (uint)t7);
        acc3 = t7;
        const int t8 = (int)((uint)acc3 + (uint)kept0[2]);
        shared0[3 * item14 + 2] = (int)((uint)shared4[item14] + (uint)t8);
        acc3 = t8;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i5 = 0; i5 < 3; ++i5) {
            int item15 = (int)get_local_id(0);
            const int t9 = (int)((uint)(8 * i5 + item15 < (n % 24) ? is[group1 * (n % 24) + 8 * i5 + item15 + 24 * (n / 24)] : 0) * (uint)2);
            const int t10 = (int)((uint)(int)((uint)t9 - (uint)(int)((uint)stage1[group1 + (n / 24)] + (uint)shared0[8 * i5 + item15])) + (uint)(8 * i5 + item15 < (n % 24) ? js[group1 * (n % 24) + 8 * i5 + item15 + 24 * (n / 24)] : 0));
            if (8 * i5 + item15 < (n % 24)) {
                result[group1 * (n % 24) + 8 * i5 + item15 + 24 * (n / 24)] = t10;
            }
        }
    }
}
