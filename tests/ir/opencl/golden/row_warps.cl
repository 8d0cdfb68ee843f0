#pragma OPENCL FP_CONTRACT OFF
typedef float2 __attribute__((aligned(sizeof(float)))) unaligned_float2;

__kernel void row_warps(
    __global const float* restrict ys,
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    __local float shared0[66] __attribute__((aligned(16)));
    __local float shared1[66] __attribute__((aligned(16)));
    __local float shared2[22] __attribute__((aligned(16)));
    __local float shared3[22] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 2); group0 += (int)get_num_groups(0)) {
        int warp0 = (int)(get_local_id(0) / 32);
        int lane0 = (int)(get_local_id(0) % 32);
        float2 acc0 = (float2)(0.0f);
        float2 acc1 = (float2)((-0.0f));
        for (int i0 = 0; i0 < (m / 64); ++i0) {
            const float2 t0 = (*(__global const unaligned_float2*)(xss + (2 * group0 * m + m * warp0 + 64 * i0 + 2 * lane0)) * *(__global const unaligned_float2*)(ys + (64 * i0 + 2 * lane0)));
            const float2 t1 = (acc0 + t0);
            const float2 t2 = (t1 - acc0);
            const float2 next0 = t1;
            const float2 next1 = ((acc1 + (float2)((-0.0f))) + ((acc0 - (t1 - t2)) + (t0 - t2)));
            acc0 = next0;
            acc1 = next1;
        }
        const float t3 = (acc0.s0 + acc0.s1);
        shared0[lane0 + 33 * warp0] = t3;
        const float t4 = (t3 - acc0.s0);
        shared1[lane0 + 33 * warp0] = ((acc1.s0 + acc1.s1) + ((acc0.s0 - (t3 - t4)) + (acc0.s1 - t4)));
        int lane1 = (int)(get_local_id(0) % 32);
        if (lane1 < 1) {
            float acc2 = 0.0f;
            float acc3 = (-0.0f);
            for (int i1 = 0; i1 < (m % 64); ++i1) {
                const float t5 = (xss[2 * group0 * m + lane1 * (m % 64) + m * warp0 + i1 + 64 * (m / 64)] * ys[lane1 * (m % 64) + i1 + 64 * (m / 64)]);
                const float t6 = (acc2 + t5);
                const float t7 = (t6 - acc2);
                const float next2 = t6;
                const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t6 - t7)) + (t5 - t7)));
                acc2 = next2;
                acc3 = next3;
            }
            shared0[lane1 + 33 * warp0 + 32] = acc2;
            shared1[lane1 + 33 * warp0 + 32] = acc3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp1 = (int)(get_local_id(0) / 32);
        int lane2 = (int)(get_local_id(0) % 32);
        if (lane2 < 11) {
            const float e0 = shared0[3 * lane2 + 33 * warp1];
            const float e1 = shared0[3 * lane2 + 33 * warp1 + 1];
            const float t8 = (e0 + e1);
            const float e2 = shared0[3 * lane2 + 33 * warp1 + 2];
            const float t9 = (t8 + e2);
            shared2[lane2 + 11 * warp1] = t9;
            const float t10 = (t8 - e0);
            const float t11 = ((shared1[3 * lane2 + 33 * warp1] + shared1[3 * lane2 + 33 * warp1 + 1]) + ((e0 - (t8 - t10)) + (e1 - t10)));
            const float t12 = (t9 - t8);
            shared3[lane2 + 11 * warp1] = ((t11 + shared1[3 * lane2 + 33 * warp1 + 2]) + ((t8 - (t9 - t12)) + (e2 - t12)));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp2 = (int)(get_local_id(0) / 32);
        int lane3 = (int)(get_local_id(0) % 32);
        if (lane3 < 1) {
            const float e3 = shared2[11 * lane3 + 11 * warp2];
            const float e4 = shared2[11 * lane3 + 11 * warp2 + 1];
            const float t13 = (e3 + e4);
            const float t14 = (t13 - e3);
            const float t15 = ((shared3[11 * lane3 + 11 * warp2] + shared3[11 * lane3 + 11 * warp2 + 1]) + ((e3 - (t13 - t14)) + (e4 - t14)));
            const float e5 = shared2[11 * lane3 + 11 * warp2 + 2];
            const float e6 = shared2[11 * lane3 + 11 * warp2 + 3];
            const float t16 = (e5 + e6);
            const float t17 = (t16 - e5);
            const float t18 = ((shared3[11 * lane3 + 11 * warp2 + 2] + shared3[11 * lane3 + 11 * warp2 + 3]) + ((e5 - (t16 - t17)) + (e6 - t17)));
            const float t19 = (t13 + t16);
            const float t20 = (t19 - t13);
            const float e7 = shared2[11 * lane3 + 11 * warp2 + 4];
            const float e8 = shared2[11 * lane3 + 11 * warp2 + 5];
            const float t21 = (e7 + e8);
            const float t22 = (t21 - e7);
            const float t23 = ((shared3[11 * lane3 + 11 * warp2 + 4] + shared3[11 * lane3 + 11 * warp2 + 5]) + ((e7 - (t21 - t22)) + (e8 - t22)));
            const float e9 = shared2[11 * lane3 + 11 * warp2 + 6];
            const float e10 = shared2[11 * lane3 + 11 * warp2 + 7];
            const float t24 = (e9 + e10);
            const float t25 = (t24 - e9);
            const float t26 = ((shared3[11 * lane3 + 11 * warp2 + 6] + shared3[11 * lane3 + 11 * warp2 + 7]) + ((e9 - (t24 - t25)) + (e10 - t25)));
            const float t27 = (t21 + t24);
            const float t28 = (t27 - t21);
            const float t29 = (((t15 + t18) + ((t13 - (t19 - t20)) + (t16 - t20))) + ((t23 + t26) + ((t21 - (t27 - t28)) + (t24 - t28))));
            const float t30 = (t19 + t27);
            const float t31 = (t30 - t19);
            const float e11 = shared2[11 * lane3 + 11 * warp2 + 8];
            const float e12 = shared2[11 * lane3 + 11 * warp2 + 9];
            const float t32 = (e11 + e12);
            const float t33 = (t32 - e11);
            const float t34 = ((shared3[11 * lane3 + 11 * warp2 + 8] + shared3[11 * lane3 + 11 * warp2 + 9]) + ((e11 - (t32 - t33)) + (e12 - t33)));
            const float e13 = shared2[11 * lane3 + 11 * warp2 + 10];
            const float t35 = (t32 + e13);
            const float t36 = (t35 - t32);
            const float t37 = ((t29 + ((t19 - (t30 - t31)) + (t27 - t31))) + ((t34 + shared3[11 * lane3 + 11 * warp2 + 10]) + ((t32 - (t35 - t36)) + (e13 - t36))));
            const float t38 = (t30 + t35);
            const float t39 = (t38 - t30);
            const float t40 = (t37 + ((t30 - (t38 - t39)) + (t35 - t39)));
            result[2 * group0 + lane3 + warp2] = ((fabs(t40) > (-0.0f)) ? (t38 + t40) : t38);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < (n % 2); group1 += (int)get_num_groups(0)) {
        int warp3 = (int)(get_local_id(0) / 32);
        if (warp3 < 1) {
            int lane4 = (int)(get_local_id(0) % 32);
            float2 acc4 = (float2)(0.0f);
            float2 acc5 = (float2)((-0.0f));
            for (int i2 = 0; i2 < (m / 64); ++i2) {
                const float2 t41 = (*(__global const unaligned_float2*)(xss + (group1 * m + m * warp3 + 2 * m * (n / 2) + 64 * i2 + 2 * lane4)) * *(__global const unaligned_float2*)(ys + (64 * i2 + 2 * lane4)));
                const float2 t42 = (acc4 + t41);
                const float2 t43 = (t42 - acc4);
                const float2 next4 = t42;
                const float2 next5 = ((acc5 + (float2)((-0.0f))) + ((acc4 - (t42 - t43)) + (t41 - t43)));
                acc4 = next4;
                acc5 = next5;
            }
            const float t44 = (acc4.s0 + acc4.s1);
            shared0[lane4 + 33 * warp3] = t44;
            const float t45 = (t44 - acc4.s0);
            shared1[lane4 + 33 * warp3] = ((acc5.s0 + acc5.s1) + ((acc4.s0 - (t44 - t45)) + (acc4.s1 - t45)));
            int lane5 = (int)(get_local_id(0) % 32);
            if (lane5 < 1) {
                float acc6 = 0.0f;
                float acc7 = (-0.0f);
                for (int i3 = 0; i3 < (m % 64); ++i3) {
                    const float t46 = (xss[group1 * m + lane5 * (m % 64) + m * warp3 + 2 * m * (n / 2) + i3 + 64 * (m / 64)] * ys[lane5 * (m % 64) + i3 + 64 * (m / 64)]);
                    const float t47 = (acc6 + t46);
                    const float t48 = (t47 - acc6);
                    const float next6 = t47;
                    const float next7 = ((acc7 + (-0.0f)) + ((acc6 - (t47 - t48)) + (t46 - t48)));
                    acc6 = next6;
                    acc7 = next7;
                }
                shared0[lane5 + 33 * warp3 + 32] = acc6;
                shared1[lane5 + 33 * warp3 + 32] = acc7;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp4 = (int)(get_local_id(0) / 32);
        if (warp4 < 1) {
            int lane6 = (int)(get_local_id(0) % 32);
            if (lane6 < 11) {
                const float e14 = shared0[3 * lane6 + 33 * warp4];
                const float e15 = shared0[3 * lane6 + 33 * warp4 + 1];
                const float t49 = (e14 + e15);
                const float e16 = shared0[3 * lane6 + 33 * warp4 + 2];
                const float t50 = (t49 + e16);
                shared2[lane6 + 11 * warp4] = t50;
                const float t51 = (t49 - e14);
                const float t52 = ((shared1[3 * lane6 + 33 * warp4] + shared1[3 * lane6 + 33 * warp4 + 1]) + ((e14 - (t49 - t51)) + (e15 - t51)));
                const float t53 = (t50 - t49);
                shared3[lane6 + 11 * warp4] = ((t52 + shared1[3 * lane6 + 33 * warp4 + 2]) + ((t49 - (t50 - t53)) + (e16 - t53)));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp5 = (int)(get_local_id(0) / 32);
        if (warp5 < 1) {
            int lane7 = (int)(get_local_id(0) % 32);
            if (lane7 < 1) {
                const float e17 = shared2[11 * lane7 + 11 * warp5];
                const float e18 = shared2[11 * lane7 + 11 * warp5 + 1];
                const float t54 = (e17 + e18);
                const float t55 = (t54 - e17);
                const float t56 = ((shared3[11 * lane7 + 11 * warp5] + shared3[11 * lane7 + 11 * warp5 + 1]) + ((e17 - (t54 - t55)) + (e18 - t55)));
                const float e19 = shared2[11 * lane7 + 11 * warp5 + 2];
                const float e20 = shared2[11 * lane7 + 11 * warp5 + 3];
                const float t57 = (e19 + e20);
                const float t58 = (t57 - e19);
                const float t59 = ((shared3[11 * lane7 + 11 * warp5 + 2] + shared3[11 * lane7 + 11 * warp5 + 3]) + ((e19 - (t57 - t58)) + (e20 - t58)));
                const float t60 = (t54 + t57);
                const float t61 = (t60 - t54);
                const float e21 = shared2[11 * lane7 + 11 * warp5 + 4];
                const float e22 = shared2[11 * lane7 + 11 * warp5 + 5];
                const float t62 = (e21 + e22);
                const float t63 = (t62 - e21);
                const float t64 = ((shared3[11 * lane7 + 11 * warp5 + 4] + shared3[11 * lane7 + 11 * warp5 + 5]) + ((e21 - (t62 - t63)) + (e22 - t63)));
                const float e23 = shared2[11 * lane7 + 11 * warp5 + 6];
                const float e24 = shared2[11 * lane7 + 11 * warp5 + 7];
                const float t65 = (e23 + e24);
                const float t66 = (t65 - e23);
                const float t67 = ((shared3[11 * lane7 + 11 * warp5 + 6] + shared3[11 * lane7 + 11 * warp5 + 7]) + ((e23 - (t65 - t66)) + (e24 - t66)));
                const float t68 = (t62 + t65);
                const float t69 = (t68 - t62);
                const float t70 = (((t56 + t59) + ((t54 - (t60 - t61)) + (t57 - t61))) + ((t64 + t67) + ((t62 - (t68 - t69)) + (t65 - t69))));
                const float t71 = (t60 + t68);
                const float t72 = (t71 - t60);
                const float e25 = shared2[11 * lane7 + 11 * warp5 + 8];
                const float e26 = shared2[11 * lane7 + 11 * warp5 + 9];
                const float t73 = (e25 + e26);
                const float t74 = (t73 - e25);
                const float t75 = ((shared3[11 * lane7 + 11 * warp5 + 8] + shared3[11 * lane7 + 11 * warp5 + 9]) + ((e25 - (t73 - t74)) + (e26 - t74)));
                const float e27 = shared2[11 * lane7 + 11 * warp5 + 10];
                const float t76 = (t73 + e27);
                const float t77 = (t76 - t73);
                const float t78 = ((t70 + ((t60 - (t71 - t72)) + (t68 - t72))) + ((t75 + shared3[11 * lane7 + 11 * warp5 + 10]) + ((t73 - (t76 - t77)) + (e27 - t77))));
                const float t79 = (t71 + t76);
                const float t80 = (t79 - t71);
                const float t81 = (t78 + ((t71 - (t79 - t80)) + (t76 - t80)));
                result[group1 + lane7 + warp5 + 2 * (n / 2)] = ((fabs(t81) > (-0.0f)) ? (t79 + t81) : t79);
            }
        }
    }
}
