#pragma OPENCL FP_CONTRACT OFF

__kernel void scan_in_local_memory_0(
    __global const float* restrict xs,
    __global float* restrict stage0,
    int n)
{
    __local float shared0[32] __attribute__((aligned(16)));
    __local float shared1[16] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 96); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        float acc0 = (-0.0f);
        for (int i0 = 0; i0 < 3; ++i0) {
            acc0 = (acc0 + fabs(xs[96 * group0 + 32 * i0 + item0]));
        }
        shared0[item0] = acc0;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from0 = shared0;
        __local float* into0 = shared1;
        int length0 = 16;
        for (int turn0 = 0; turn0 < 5; ++turn0) {
            int item1 = (int)get_local_id(0);
            if (item1 < length0) {
                float acc1 = (-0.0f);
                acc1 = (acc1 + from0[2 * item1]);
                acc1 = (acc1 + from0[2 * item1 + 1]);
                into0[item1] = acc1;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float* swap0 = from0;
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

__kernel void scan_in_local_memory_1(
    __global const float* restrict stage0,
    __global float* restrict stage1,
    int n)
{
    __local float shared0[31] __attribute__((aligned(16)));
    __local float shared1[32] __attribute__((aligned(16)));
    __local float shared2[8] __attribute__((aligned(16)));
    int item0 = (int)get_local_id(0);
    float acc0 = (-0.0f);
    float acc1 = (-0.0f);
    for (int i0 = 0; i0 < ((n + 96) / 2976); ++i0) {
        const float e0 = (item0 * ((n + 96) / 2976) + i0 < 1 ? (-0.0f) : stage0[item0 * ((n + 96) / 2976) + i0 - 1]);
        const float t0 = (acc0 + e0);
        const float t1 = (t0 - acc0);
        const float next0 = t0;
        const float next1 = ((acc1 + (-0.0f)) + ((acc0 - (t0 - t1)) + (e0 - t1)));
        acc0 = next0;
        acc1 = next1;
    }
    shared0[item0] = ((fabs(acc1) > (-0.0f)) ? (acc0 + acc1) : acc0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item1 = (int)get_local_id(0);
    if (item1 < 7) {
        float acc2 = (-0.0f);
        float acc3 = (-0.0f);
        for (int i1 = 0; i1 < 4; ++i1) {
            const float e1 = (i1 + 4 * item1 < 1 ? (-0.0f) : shared0[i1 + 4 * item1 - 1]);
            const float t2 = (acc2 + e1);
            const float t3 = (t2 - acc2);
            const float next2 = t2;
            const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t2 - t3)) + (e1 - t3)));
            acc2 = next2;
            acc3 = next3;
        }
        shared1[item1] = ((fabs(acc3) > (-0.0f)) ? (acc2 + acc3) : acc2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int item2 = (int)get_local_id(0);
    if (item2 < 1) {
        float acc4 = 0.0f;
        float acc5 = (-0.0f);
        const float t4 = (acc4 + (-0.0f));
        const float t5 = (t4 - acc4);
        const float t6 = ((acc5 + (-0.0f)) + ((acc4 - (t4 - t5)) + ((-0.0f) - t5)));
        shared2[8 * item2] = ((fabs(t6) > (-0.0f)) ? (t4 + t6) : t4);
        acc4 = t4;
        acc5 = t6;
        const float e2 = shared1[8 * item2];
        const float t7 = (acc4 + e2);
        const float t8 = (t7 - acc4);
        const float t9 = ((acc5 + (-0.0f)) + ((acc4 - (t7 - t8)) + (e2 - t8)));
        shared2[8 * item2 + 1] = ((fabs(t9) > (-0.0f)) ? (t7 + t9) : t7);
        acc4 = t7;
        acc5 = t9;
        const float e3 = shared1[8 * item2 + 1];
        const float t10 = (acc4 + e3);
        const float t11 = (t10 - acc4);
        const float t12 = ((acc5 + (-0.0f)) + ((acc4 - (t10 - t11)) + (e3 - t11)));
        shared2[8 * item2 + 2] = ((fabs(t12) > (-0.0f)) ? (t10 + t12) : t10);
        acc4 = t10;
        acc5 = t12;
        const float e4 = shared1[8 * item2 + 2];
        const float t13 = (acc4 + e4);
        const float t14 = (t13 - acc4);
        const float t15 = ((acc5 + (-0.0f)) + ((acc4 - (t13 - t14)) + (e4 - t14)));
        shared2[8 * item2 + 3] = ((fabs(t15) > (-0.0f)) ? (t13 + t15) : t13);
        acc4 = t13;
        acc5 = t15;
        const float e5 = shared1[8 * item2 + 3];
        const float t16 = (acc4 + e5);
        const float t17 = (t16 - acc4);
        const float t18 = ((acc5 + (-0.0f)) + ((acc4 - (t16 - t17)) + (e5 - t17)));
        shared2[8 * item2 + 4] = ((fabs(t18) > (-0.0f)) ? (t16 + t18) : t16);
        acc4 = t16;
        acc5 = t18;
        const float e6 = shared1[8 * item2 + 4];
        const float t19 = (acc4 + e6);
        const float t20 = (t19 - acc4);
        const float t21 = ((acc5 + (-0.0f)) + ((acc4 - (t19 - t20)) + (e6 - t20)));
        shared2[8 * item2 + 5] = ((fabs(t21) > (-0.0f)) ? (t19 + t21) : t19);
        acc4 = t19;
        acc5 = t21;
        const float e7 = shared1[8 * item2 + 5];
        const float t22 = (acc4 + e7);
        const float t23 = (t22 - acc4);
        const float t24 = ((acc5 + (-0.0f)) + ((acc4 - (t22 - t23)) + (e7 - t23)));
        shared2[8 * item2 + 6] = ((fabs(t24) > (-0.0f)) ? (t22 + t24) : t22);
        acc4 = t22;
        acc5 = t24;
        const float e8 = shared1[8 * item2 + 6];
        const float t25 = (acc4 + e8);
        const float t26 = (t25 - acc4);
        const float t27 = ((acc5 + (-0.0f)) + ((acc4 - (t25 - t26)) + (e8 - t26)));
        shared2[8 * item2 + 7] = ((fabs(t27) > (-0.0f)) ? (t25 + t27) : t25);
        acc4 = t25;
        acc5 = t27;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int item3 = (int)get_local_id(0);
    if (item3 < 8) {
        float acc6 = shared2[item3];
        float acc7 = (-0.0f);
        const float e9 = (4 * item3 < 1 ? (-0.0f) : shared0[4 * item3 - 1]);
        const float t28 = (acc6 + e9);
        const float t29 = (t28 - acc6);
        const float t30 = ((acc7 + (-0.0f)) + ((acc6 - (t28 - t29)) + (e9 - t29)));
        shared1[4 * item3] = ((fabs(t30) > (-0.0f)) ? (t28 + t30) : t28);
        acc6 = t28;
        acc7 = t30;
        const float e10 = shared0[4 * item3];
        const float t31 = (acc6 + e10);
        const float t32 = (t31 - acc6);
        const float t33 = ((acc7 + (-0.0f)) + ((acc6 - (t31 - t32)) + (e10 - t32)));
        shared1[4 * item3 + 1] = ((fabs(t33) > (-0.0f)) ? (t31 + t33) : t31);
        acc6 = t31;
        acc7 = t33;
        const float e11 = shared0[4 * item3 + 1];
        const float t34 = (acc6 + e11);
        const float t35 = (t34 - acc6);
        const float t36 = ((acc7 + (-0.0f)) + ((acc6 - (t34 - t35)) + (e11 - t35)));
        shared1[4 * item3 + 2] = ((fabs(t36) > (-0.0f)) ? (t34 + t36) : t34);
        acc6 = t34;
        acc7 = t36;
        const float e12 = shared0[4 * item3 + 2];
        const float t37 = (acc6 + e12);
        const float t38 = (t37 - acc6);
        const float t39 = ((acc7 + (-0.0f)) + ((acc6 - (t37 - t38)) + (e12 - t38)));
        shared1[4 * item3 + 3] = ((fabs(t39) > (-0.0f)) ? (t37 + t39) : t37);
        acc6 = t37;
        acc7 = t39;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int item4 = (int)get_local_id(0);
    float acc8 = (-0.0f);
    float acc9 = (-0.0f);
    for (int i2 = 0; i2 < ((n + 96) / 2976); ++i2) {
        const float e13 = (item4 * ((n + 96) / 2976) + i2 < 1 ? (-0.0f) : stage0[item4 * ((n + 96) / 2976) + i2 - 1]);
        const float t40 = (acc8 + e13);
        const float t41 = (t40 - acc8);
        const float t42 = ((acc9 + (-0.0f)) + ((acc8 - (t40 - t41)) + (e13 - t41)));
        stage1[item4 * ((n + 96) / 2976) + i2] = (shared1[item4] + ((fabs(t42) > (-0.0f)) ? (t40 + t42) : t40));
        acc8 = t40;
        acc9 = t42;
    }
    int item5 = (int)get_local_id(0);
    if (item5 < 1) {
        float acc10 = (-0.0f);
        float acc11 = (-0.0f);
        for (int i3 = 0; i3 < (((n / 96) + 1) % 31); ++i3) {
            const float e14 = (item5 * (((n / 96) + 1) % 31) + i3 + 31 * ((n + 96) / 2976) < 1 ? (-0.0f) : stage0[item5 * (((n / 96) + 1) % 31) + i3 + 31 * ((n + 96) / 2976) - 1]);
            const float t43 = (acc10 + e14);
            const float t44 = (t43 - acc10);
            const float t45 = ((acc11 + (-0.0f)) + ((acc10 - (t43 - t44)) + (e14 - t44)));
            stage1[item5 * (((n / 96) + 1) % 31) + i3 + 31 * ((n + 96) / 2976)] = (shared1[item5 + 31] + ((fabs(t45) > (-0.0f)) ? (t43 + t45) : t43));
            acc10 = t43;
            acc11 = t45;
        }
    }
}

__kernel void scan_in_local_memory_2(
    __global const float* restrict xs,
    __global const float* restrict stage1,
    __global float* restrict result,
    int n)
{
    __local float shared0[96] __attribute__((aligned(16)));
    __local float shared1[96] __attribute__((aligned(16)));
    __local float shared2[32] __attribute__((aligned(16)));
    __local float shared3[8] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 96); group0 += (int)get_num_groups(0)) {
        for (int i0 = 0; i0 < 3; ++i0) {
            int item0 = (int)get_local_id(0);
            shared0[32 * i0 + item0] = fabs(xs[96 * group0 + 32 * i0 + item0]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item1 = (int)get_local_id(0);
        if (item1 < 31) {
            float acc0 = (-0.0f);
            float acc1 = (-0.0f);
            for (int i1 = 0; i1 < 3; ++i1) {
                const float e0 = shared0[i1 + 3 * item1];
                const float t0 = (acc0 + e0);
                const float t1 = (t0 - acc0);
                const float next0 = t0;
                const float next1 = ((acc1 + (-0.0f)) + ((acc0 - (t0 - t1)) + (e0 - t1)));
                acc0 = next0;
                acc1 = next1;
            }
            shared1[item1] = ((fabs(acc1) > (-0.0f)) ? (acc0 + acc1) : acc0);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item2 = (int)get_local_id(0);
        if (item2 < 7) {
            float acc2 = (-0.0f);
            float acc3 = (-0.0f);
            for (int i2 = 0; i2 < 4; ++i2) {
                const float e1 = (i2 + 4 * item2 < 1 ? (-0.0f) : shared1[i2 + 4 * item2 - 1]);
                const float t2 = (acc2 + e1);
                const float t3 = (t2 - acc2);
                const float next2 = t2;
                const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t2 - t3)) + (e1 - t3)));
                acc2 = next2;
                acc3 = next3;
            }
            shared2[item2] = ((fabs(acc3) > (-0.0f)) ? (acc2 + acc3) : acc2);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item3 = (int)get_local_id(0);
        if (item3 < 1) {
            float acc4 = (-0.0f);
            float acc5 = (-0.0f);
            const float t4 = (acc4 + (-0.0f));
            const float t5 = (t4 - acc4);
            const float t6 = ((acc5 + (-0.0f)) + ((acc4 - (t4 - t5)) + ((-0.0f) - t5)));
            shared3[8 * item3] = ((fabs(t6) > (-0.0f)) ? (t4 + t6) : t4);
            acc4 = t4;
            acc5 = t6;
            const float e2 = shared2[8 * item3];
            const float t7 = (acc4 + e2);
            const float t8 = (t7 - acc4);
            const float t9 = ((acc5 + (-0.0f)) + ((acc4 - (t7 - t8)) + (e2 - t8)));
            shared3[8 * item3 + 1] = ((fabs(t9) > (-0.0f)) ? (t7 + t9) : t7);
            acc4 = t7;
            acc5 = t9;
            const float e3 = shared2[8 * item3 + 1];
            const float t10 = (acc4 + e3);
            const float t11 = (t10 - acc4);
            const float t12 = ((acc5 + (-0.0f)) + ((acc4 - (t10 - t11)) + (e3 - t11)));
            shared3[8 * item3 + 2] = ((fabs(t12) > (-0.0f)) ? (t10 + t12) : t10);
            acc4 = t10;
            acc5 = t12;
            const float e4 = shared2[8 * item3 + 2];
            const float t13 = (acc4 + e4);
            const float t14 = (t13 - acc4);
            const float t15 = ((acc5 + (-0.0f)) + ((acc4 - (t13 - t14)) + (e4 - t14)));
            shared3[8 * item3 + 3] = ((fabs(t15) > (-0.0f)) ? (t13 + t15) : t13);
            acc4 = t13;
            acc5 = t15;
            const float e5 = shared2[8 * item3 + 3];
            const float t16 = (acc4 + e5);
            const float t17 = (t16 - acc4);
            const float t18 = ((acc5 + (-0.0f)) + ((acc4 - (t16 - t17)) + (e5 - t17)));
            shared3[8 * item3 + 4] = ((fabs(t18) > (-0.0f)) ? (t16 + t18) : t16);
            acc4 = t16;
            acc5 = t18;
            const float e6 = shared2[8 * item3 + 4];
            const float t19 = (acc4 + e6);
            const float t20 = (t19 - acc4);
            const float t21 = ((acc5 + (-0.0f)) + ((acc4 - (t19 - t20)) + (e6 - t20)));
            shared3[8 * item3 + 5] = ((fabs(t21) > (-0.0f)) ? (t19 + t21) : t19);
            acc4 = t19;
            acc5 = t21;
            const float e7 = shared2[8 * item3 + 5];
            const float t22 = (acc4 + e7);
            const float t23 = (t22 - acc4);
            const float t24 = ((acc5 + (-0.0f)) + ((acc4 - (t22 - t23)) + (e7 - t23)));
            shared3[8 * item3 + 6] = ((fabs(t24) > (-0.0f)) ? (t22 + t24) : t22);
            acc4 = t22;
            acc5 = t24;
            const float e8 = shared2[8 * item3 + 6];
            const float t25 = (acc4 + e8);
            const float t26 = (t25 - acc4);
            const float t27 = ((acc5 + (-0.0f)) + ((acc4 - (t25 - t26)) + (e8 - t26)));
            shared3[8 * item3 + 7] = ((fabs(t27) > (-0.0f)) ? (t25 + t27) : t25);
            acc4 = t25;
            acc5 = t27;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item4 = (int)get_local_id(0);
        if (item4 < 8) {
            float acc6 = shared3[item4];
            float acc7 = (-0.0f);
            const float e9 = (4 * item4 < 1 ? (-0.0f) : shared1[4 * item4 - 1]);
            const float t28 = (acc6 + e9);
            const float t29 = (t28 - acc6);
            const float t30 = ((acc7 + (-0.0f)) + ((acc6 - (t28 - t29)) + (e9 - t29)));
            shared2[4 * item4] = ((fabs(t30) > (-0.0f)) ? (t28 + t30) : t28);
            acc6 = t28;
            acc7 = t30;
            const float e10 = shared1[4 * item4];
            const float t31 = (acc6 + e10);
            const float t32 = (t31 - acc6);
            const float t33 = ((acc7 + (-0.0f)) + ((acc6 - (t31 - t32)) + (e10 - t32)));
            shared2[4 * item4 + 1] = ((fabs(t33) > (-0.0f)) ? (t31 + t33) : t31);
            acc6 = t31;
            acc7 = t33;
            const float e11 = shared1[4 * item4 + 1];
            const float t34 = (acc6 + e11);
            const float t35 = (t34 - acc6);
            const float t36 = ((acc7 + (-0.0f)) + ((acc6 - (t34 - t35)) + (e11 - t35)));
            shared2[4 * item4 + 2] = ((fabs(t36) > (-0.0f)) ? (t34 + t36) : t34);
            acc6 = t34;
            acc7 = t36;
            const float e12 = shared1[4 * item4 + 2];
            const float t37 = (acc6 + e12);
            const float t38 = (t37 - acc6);
            const float t39 = ((acc7 + (-0.0f)) + ((acc6 - (t37 - t38)) + (e12 - t38)));
            shared2[4 * item4 + 3] = ((fabs(t39) > (-0.0f)) ? (t37 + t39) : t37);
            acc6 = t37;
            acc7 = t39;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item5 = (int)get_local_id(0);
        float acc8 = (-0.0f);
        float acc9 = (-0.0f);
        const float e13 = shared0[3 * item5];
        const float t40 = (acc8 + e13);
        const float t41 = (t40 - acc8);
        const float t42 = ((acc9 + (-0.0f)) + ((acc8 - (t40 - t41)) + (e13 - t41)));
        shared1[3 * item5] = (shared2[item5] + ((fabs(t42) > (-0.0f)) ? (t40 + t42) : t40));
        acc8 = t40;
        acc9 = t42;
        const float e14 = shared0[3 * item5 + 1];
        const float t43 = (acc8 + e14);
        const float t44 = (t43 - acc8);
        const float t45 = ((acc9 + (-0.0f)) + ((acc8 - (t43 - t44)) + (e14 - t44)));
        shared1[3 * item5 + 1] = (shared2[item5] + ((fabs(t45) > (-0.0f)) ? (t43 + t45) : t43));
        acc8 = t43;
        acc9 = t45;
        const float e15 = shared0[3 * item5 + 2];
        const float t46 = (acc8 + e15);
        const float t47 = (t46 - acc8);
        const float t48 = ((acc9 + (-0.0f)) + ((acc8 - (t46 - t47)) + (e15 - t47)));
        shared1[3 * item5 + 2] = (shared2[item5] + ((fabs(t48) > (-0.0f)) ? (t46 + t48) : t46));
        acc8 = t46;
        acc9 = t48;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i3 = 0; i3 < 3; ++i3) {
            int item6 = (int)get_local_id(0);
            result[96 * group0 + 32 * i3 + item6] = (stage1[group0] + shared1[32 * i3 + item6]);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        int item7 = (int)get_local_id(0);
        if (item7 < 31) {
            float acc10 = (-0.0f);
            float acc11 = (-0.0f);
            for (int i4 = 0; i4 < (((n % 96)) / 31); ++i4) {
                const float t49 = fabs(xs[group1 * (n % 96) + item7 * (((n % 96)) / 31) + i4 + 96 * (n / 96)]);
                const float t50 = (acc10 + t49);
                const float t51 = (t50 - acc10);
                const float next4 = t50;
                const float next5 = ((acc11 + (-0.0f)) + ((acc10 - (t50 - t51)) + (t49 - t51)));
                acc10 = next4;
                acc11 = next5;
            }
            shared0[item7] = ((fabs(acc11) > (-0.0f)) ? (acc10 + acc11) : acc10);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item8 = (int)get_local_id(0);
        if (item8 < 7) {
            float acc12 = (-0.0f);
            float acc13 = (-0.0f);
            for (int i5 = 0; i5 < 4; ++i5) {
                const float e16 = (i5 + 4 * item8 < 1 ? (-0.0f) : shared0[i5 + 4 * item8 - 1]);
                const float t52 = (acc12 + e16);
                const float t53 = (t52 - acc12);
                const float next6 = t52;
                const float next7 = ((acc13 + (-0.0f)) + ((acc12 - (t52 - t53)) + (e16 - t53)));
                acc12 = next6;
                acc13 = next7;
            }
            shared1[item8] = ((fabs(acc13) > (-0.0f)) ? (acc12 + acc13) : acc12);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item9 = (int)get_local_id(0);
        if (item9 < 1) {
            float acc14 = stage1[group1 + (n / 96)];
            float acc15 = (-0.0f);
            const float t54 = (acc14 + (-0.0f));
            const float t55 = (t54 - acc14);
            const float t56 = ((acc15 + (-0.0f)) + ((acc14 - (t54 - t55)) + ((-0.0f) - t55)));
            shared2[8 * item9] = ((fabs(t56) > (-0.0f)) ? (t54 + t56) : t54);
            acc14 = t54;
            acc15 = t56;
            const float e17 = shared1[8 * item9];
            const float t57 = (acc14 + e17);
            const float t58 = (t57 - acc14);
            const float t59 = ((acc15 + (-0.0f)) + ((acc14 - (t57 - t58)) + (e17 - t58)));
            shared2[8 * item9 + 1] = ((fabs(t59) > (-0.0f)) ? (t57 + t59) : t57);
            acc14 = t57;
            acc15 = t59;
            const float e18 = shared1[8 * item9 + 1];
            const float t60 = (acc14 + e18);
            const float t61 = (t60 - acc14);
            const float t62 = ((acc15 + (-0.0f)) + ((acc14 - (t60 - t61)) + (e18 - t61)));
            shared2[8 * item9 + 2] = ((fabs(t62) > (-0.0f)) ? (t60 + t62) : t60);
            acc14 = t60;
            acc15 = t62;
            const float e19 = shared1[8 * item9 + 2];
            const float t63 = (acc14 + e19);
            const float t64 = (t63 - acc14);
            const float t65 = ((acc15 + (-0.0f)) + ((acc14 - (t63 - t64)) + (e19 - t64)));
            shared2[8 * item9 + 3] = ((fabs(t65) > (-0.0f)) ? (t63 + t65) : t63);
            acc14 = t63;
            acc15 = t65;
            const float e20 = shared1[8 * item9 + 3];
            const float t66 = (acc14 + e20);
            const float t67 = (t66 - acc14);
            const float t68 = ((acc15 + (-0.0f)) + ((acc14 - (t66 - t67)) + (e20 - t67)));
            shared2[8 * item9 + 4] = ((fabs(t68) > (-0.0f)) ? (t66 + t68) : t66);
            acc14 = t66;
            acc15 = t68;
            const float e21 = shared1[8 * item9 + 4];
            const float t69 = (acc14 + e21);
            const float t70 = (t69 - acc14);
            const float t71 = ((acc15 + (-0.0f)) + ((acc14 - (t69 - t70)) + (e21 - t70)));
            shared2[8 * item9 + 5] = ((fabs(t71) > (-0.0f)) ? (t69 + t71) : t69);
            acc14 = t69;
            acc15 = t71;
            const float e22 = shared1[8 * item9 + 5];
            const float t72 = (acc14 + e22);
            const float t73 = (t72 - acc14);
            const float t74 = ((acc15 + (-0.0f)) + ((acc14 - (t72 - t73)) + (e22 - t73)));
            shared2[8 * item9 + 6] = ((fabs(t74) > (-0.0f)) ? (t72 + t74) : t72);
            acc14 = t72;
            acc15 = t74;
            const float e23 = shared1[8 * item9 + 6];
            const float t75 = (acc14 + e23);
            const float t76 = (t75 - acc14);
            const float t77 = ((acc15 + (-0.0f)) + ((acc14 - (t75 - t76)) + (e23 - t76)));
            shared2[8 * item9 + 7] = ((fabs(t77) > (-0.0f)) ? (t75 + t77) : t75);
            acc14 = t75;
            acc15 = t77;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item10 = (int)get_local_id(0);
        if (item10 < 8) {
            float acc16 = shared2[item10];
            float acc17 = (-0.0f);
            const float e24 = (4 * item10 < 1 ? (-0.0f) : shared0[4 * item10 - 1]);
            const float t78 = (acc16 + e24);
            const float t79 = (t78 - acc16);
            const float t80 = ((acc17 + (-0.0f)) + ((acc16 - (t78 - t79)) + (e24 - t79)));
            shared1[4 * item10] = ((fabs(t80) > (-0.0f)) ? (t78 + t80) : t78);
            acc16 = t78;
            acc17 = t80;
            const float e25 = shared0[4 * item10];
            const float t81 = (acc16 + e25);
            const float t82 = (t81 - acc16);
            const float t83 = ((acc17 + (-0.0f)) + ((acc16 - (t81 - t82)) + (e25 - t82)));
            shared1[4 * item10 + 1] = ((fabs(t83) > (-0.0f)) ? (t81 + t83) : t81);
            acc16 = t81;
            acc17 = t83;
            const float e26 = shared0[4 * item10 + 1];
            const float t84 = (acc16 + e26);
            const float t85 = (t84 - acc16);
            const float t86 = ((acc17 + (-0.0f)) + ((acc16 - (t84 - t85)) + (e26 - t85)));
            shared1[4 * item10 + 2] = ((fabs(t86) > (-0.0f)) ? (t84 + t86) : t84);
            acc16 = t84;
            acc17 = t86;
            const float e27 = shared0[4 * item10 + 2];
            const float t87 = (acc16 + e27);
            const float t88 = (t87 - acc16);
            const float t89 = ((acc17 + (-0.0f)) + ((acc16 - (t87 - t88)) + (e27 - t88)));
            shared1[4 * item10 + 3] = ((fabs(t89) > (-0.0f)) ? (t87 + t89) : t87);
            acc16 = t87;
            acc17 = t89;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item11 = (int)get_local_id(0);
        if (item11 < 31) {
            float acc18 = (-0.0f);
            float acc19 = (-0.0f);
            for (int i6 = 0; i6 < (((n % 96)) / 31); ++i6) {
                const float t90 = fabs(xs[group1 * (n % 96) + item11 * (((n % 96)) / 31) + i6 + 96 * (n / 96)]);
                const float t91 = (acc18 + t90);
                const float t92 = (t91 - acc18);
                const float t93 = ((acc19 + (-0.0f)) + ((acc18 - (t91 - t92)) + (t90 - t92)));
                result[group1 * (n % 96) + item11 * (((n % 96)) / 31) + i6 + 96 * (n / 96)] = (shared1[item11] + ((fabs(t93) > (-0.0f)) ? (t91 + t93) : t91));
                acc18 = t91;
                acc19 = t93;
            }
        }
        int item12 = (int)get_local_id(0);
        if (item12 < 1) {
            float acc20 = (-0.0f);
            float acc21 = (-0.0f);
            for (int i7 = 0; i7 < (n % 96) - 31 * (((n % 96)) / 31); ++i7) {
                const float t94 = fabs(xs[group1 * (n % 96) + item12 * (n % 96) + i7 + 31 * (((n % 96)) / 31) + 96 * (n / 96) - 31 * item12 * (((n % 96)) / 31)]);
                const float t95 = (acc20 + t94);
                const float t96 = (t95 - acc20);
                const float t97 = ((acc21 + (-0.0f)) + ((acc20 - (t95 - t96)) + (t94 - t96)));
                result[group1 * (n % 96) + item12 * (n % 96) + i7 + 31 * (((n % 96)) / 31) + 96 * (n / 96) - 31 * item12 * (((n % 96)) / 31)] = (shared1[item12 + 31] + ((fabs(t97) > (-0.0f)) ? (t95 + t97) : t95));
                acc20 = t95;
                acc21 = t97;
            }
        }
    }
}
