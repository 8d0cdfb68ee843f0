#pragma OPENCL FP_CONTRACT OFF
typedef int4 __attribute__((aligned(sizeof(int)))) unaligned_int4;
int4 abs_int4(int4 a) { return a < (int4)(0) ? as_int4(-as_uint4(a)) : a; }
int abs_int(int a) { return a < 0 ? (int)(0 - (uint)a) : a; }

__kernel void scan_used_0(
    __global const int* restrict is,
    __global int* restrict stage0,
    int n)
{
    __local int shared0[32] __attribute__((aligned(16)));
    __local int shared1[16] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 128); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        int4 acc0 = (int4)(0);
        const int4 t0 = as_int4(as_uint4(acc0) + as_uint4(abs_int4(*(__global const unaligned_int4*)(is + (128 * group0 + 4 * item0)))));
        acc0 = t0;
        int acc1 = 0;
        acc1 = (int)((uint)acc1 + (uint)acc0.s0);
        acc1 = (int)((uint)acc1 + (uint)acc0.s1);
        acc1 = (int)((uint)acc1 + (uint)acc0.s2);
        acc1 = (int)((uint)acc1 + (uint)acc0.s3);
        shared0[item0] = acc1;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int* from0 = shared0;
        __local int* into0 = shared1;
        int length0 = 16;
        for (int turn0 = 0; turn0 < 5; ++turn0) {
            int item1 = (int)get_local_id(0);
            if (item1 < length0) {
                int acc2 = 0;
                acc2 = (int)((uint)acc2 + (uint)from0[2 * item1]);
                acc2 = (int)((uint)acc2 + (uint)from0[2 * item1 + 1]);
                into0[item1] = acc2;
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

__kernel void scan_used_1(
    __global const int* restrict stage0,
    __global int* restrict stage1,
    int n)
{
    __local int shared0[31] __attribute__((aligned(16)));
    __local int shared1[32] __attribute__((aligned(16)));
    __local int shared2[8] __attribute__((aligned(16)));
    int item0 = (int)get_local_id(0);
    int acc0 = 0;
    for (int i0 = 0; i0 < ((n + 128) / 3968); ++i0) {
        const int t0 = (int)((uint)acc0 + (uint)(item0 * ((n + 128) / 3968) + i0 < 1 ? 0 : stage0[item0 * ((n + 128) / 3968) + i0 - 1]));
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
        int acc2 = 3;
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
    for (int i2 = 0; i2 < ((n + 128) / 3968); ++i2) {
        const int t1 = (int)((uint)acc4 + (uint)(item4 * ((n + 128) / 3968) + i2 < 1 ? 0 : stage0[item4 * ((n + 128) / 3968) + i2 - 1]));
        stage1[item4 * ((n + 128) / 3968) + i2] = (int)((uint)shared1[item4] + (uint)t1);
        acc4 = t1;
    }
    int item5 = (int)get_local_id(0);
    if (item5 < 1) {
        int acc5 = 0;
        for (int i3 = 0; i3 < (((n / 128) + 1) % 31); ++i3) {
            const int t2 = (int)((uint)acc5 + (uint)(item5 * (((n / 128) + 1) % 31) + i3 + 31 * ((n + 128) / 3968) < 1 ? 0 : stage0[item5 * (((n / 128) + 1) % 31) + i3 + 31 * ((n + 128) / 3968) - 1]));
            stage1[item5 * (((n / 128) + 1) % 31) + i3 + 31 * ((n + 128) / 3968)] = (int)((uint)shared1[item5 + 31] + (uint)t2);
            acc5 = t2;
        }
    }
}

__kernel void scan_used_2(
    __global const int* restrict is,
    __global const int* restrict js,
    __global const int* restrict stage1,
    __global int* restrict result,
    int n)
{
    __local int shared0[31] __attribute__((aligned(16)));
    __local int shared1[32] __attribute__((aligned(16)));
    __local int shared2[8] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 128); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        if (item0 < 31) {
            int acc0 = 0;
            for (int i0 = 0; i0 < 4; ++i0) {
                acc0 = (int)((uint)acc0 + (uint)abs_int(is[128 * group0 + i0 + 4 * item0]));
            }
            shared0[item0] = acc0;
        }
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
        int4 acc4 = (int4)(0);
        const int4 t0 = abs_int4(*(__global const unaligned_int4*)(is + (128 * group0 + 4 * item4)));
        const int4 t1 = as_int4(as_uint4((int4)(0, t0.s0, t0.s1, t0.s2)) + as_uint4(t0));
        const int4 t2 = as_int4(as_uint4((int4)(acc4.s3)) + as_uint4(as_int4(as_uint4((int4)(0, 0, t1.s0, t1.s1)) + as_uint4(t1))));
        const int4 t3 = as_int4(as_uint4(*(__global const unaligned_int4*)(is + (128 * group0 + 4 * item4))) * as_uint4((int4)(2)));
        const int4 t4 = as_int4(as_uint4((int4)(stage1[group0])) + as_uint4(as_int4(as_uint4((int4)(shared1[item4])) + as_uint4(t2))));
        const int4 t5 = as_int4(as_uint4(as_int4(as_uint4(t3) - as_uint4(t4))) + as_uint4(*(__global const unaligned_int4*)(js + (128 * group0 + 4 * item4))));
        *(__global unaligned_int4*)(result + (128 * group0 + 4 * item4)) = t5;
        acc4 = t2;
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        int item5 = (int)get_local_id(0);
        if (item5 < 31) {
            int acc5 = 0;
            for (int i2 = 0; i2 < (((n % 128)) / 31); ++i2) {
                const int t6 = (int)((uint)acc5 + (uint)abs_int(is[group1 * (n % 128) + item5 * (((n % 128)) / 31) + i2 + 128 * (n / 128)]));
                acc5 = t6;
            }
            shared0[item5] = acc5;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item6 = (int)get_local_id(0);
        if (item6 < 7) {
            int acc6 = 0;
            for (int i3 = 0; i3 < 4; ++i3) {
                acc6 = (int)((uint)acc6 + (uint)(i3 + 4 * item6 < 1 ? 0 : shared0[i3 + 4 * item6 - 1]));
            }
            shared1[item6] = acc6;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item7 = (int)get_local_id(0);
        if (item7 < 1) {
            int acc7 = stage1[group1 + (n / 128)];
            acc7 = (int)((uint)acc7 + (uint)0);
            shared2[8 * item7] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item7]);
            shared2[8 * item7 + 1] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item7 + 1]);
            shared2[8 * item7 + 2] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item7 + 2]);
            shared2[8 * item7 + 3] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item7 + 3]);
            shared2[8 * item7 + 4] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item7 + 4]);
            shared2[8 * item7 + 5] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item7 + 5]);
            shared2[8 * item7 + 6] = acc7;
            acc7 = (int)((uint)acc7 + (uint)shared1[8 * item7 + 6]);
            shared2[8 * item7 + 7] = acc7;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item8 = (int)get_local_id(0);
        if (item8 < 8) {
            int acc8 = shared2[item8];
            acc8 = (int)((uint)acc8 + (uint)(4 * item8 < 1 ? 0 : shared0[4 * item8 - 1]));
            shared1[4 * item8] = acc8;
            acc8 = (int)((uint)acc8 + (uint)shared0[4 * item8]);
            shared1[4 * item8 + 1] = acc8;
            acc8 = (int)((uint)acc8 + (uint)shared0[4 * item8 + 1]);
            shared1[4 * item8 + 2] = acc8;
            acc8 = (int)((uint)acc8 + (uint)shared0[4 * item8 + 2]);
            shared1[4 * item8 + 3] = acc8;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item9 = (int)get_local_id(0);
        if (item9 < 31) {
            int acc9 = 0;
            for (int i4 = 0; i4 < (((n % 128)) / 31); ++i4) {
                const int t7 = (int)((uint)acc9 + (uint)abs_int(is[group1 * (n % 128) + item9 * (((n % 128)) / 31) + i4 + 128 * (n / 128)]));
                const int t8 = (int)((uint)(int)((uint)is[group1 * (n % 128) + item9 * (((n % 128)) / 31) + i4 + 128 * (n / 128)] * (uint)2) - (uint)(int)((uint)shared1[item9] + (uint)t7));
                result[group1 * (n % 128) + item9 * (((n % 128)) / 31) + i4 + 128 * (n / 128)] = (int)((uint)t8 + (uint)js[group1 * (n % 128) + item9 * (((n % 128)) / 31) + i4 + 128 * (n / 128)]);
                acc9 = t7;
            }
        }
        int item10 = (int)get_local_id(0);
        if (item10 < 1) {
            int acc10 = 0;
            for (int i5 = 0; i5 < (n % 128) - 31 * (((n % 128)) / 31); ++i5) {
                const int t9 = abs_int(is[group1 * (n % 128) + item10 * (n % 128) + i5 + 31 * (((n % 128)) / 31) + 128 * (n / 128) - 31 * item10 * (((n % 128)) / 31)]);
                const int t10 = (int)((uint)acc10 + (uint)t9);
                const int t11 = (int)((uint)is[group1 * (n % 128) + item10 * (n % 128) + i5 + 31 * (((n % 128)) / 31) + 128 * (n / 128) - 31 * item10 * (((n % 128)) / 31)] * (uint)2);
                const int t12 = (int)((uint)(int)((uint)t11 - (uint)(int)((uint)shared1[item10 + 31] + (uint)t10)) + (uint)js[group1 * (n % 128) + item10 * (n % 128) + i5 + 31 * (((n % 128)) / 31) + 128 * (n / 128) - 31 * item10 * (((n % 128)) / 31)]);
                result[group1 * (n % 128) + item10 * (n % 128) + i5 + 31 * (((n % 128)) / 31) + 128 * (n / 128) - 31 * item10 * (((n % 128)) / 31)] = t12;
                acc10 = t10;
            }
        }
    }
}
