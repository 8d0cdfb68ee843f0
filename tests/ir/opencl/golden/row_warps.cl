#pragma OPENCL FP_CONTRACT OFF
typedef float2 __attribute__((aligned(sizeof(float)))) unaligned_float2;

__kernel void row_warps(
    __global const float* restrict ys,
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    __local float shared0[66];
    __local float shared1[66];
    __local float shared2[22];
    __local float shared3[22];
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
        float acc2 = 0.0f;
        float acc3 = (-0.0f);
        const float t3 = (acc2 + acc0.s0);
        const float t4 = (t3 - acc2);
        const float next2 = t3;
        const float next3 = ((acc3 + acc1.s0) + ((acc2 - (t3 - t4)) + (acc0.s0 - t4)));
        acc2 = next2;
        acc3 = next3;
        const float t5 = (acc2 + acc0.s1);
        const float t6 = (t5 - acc2);
        const float next4 = t5;
        const float next5 = ((acc3 + acc1.s1) + ((acc2 - (t5 - t6)) + (acc0.s1 - t6)));
        acc2 = next4;
        acc3 = next5;
        shared0[lane0 + 33 * warp0] = acc2;
        shared1[lane0 + 33 * warp0] = acc3;
        int lane1 = (int)(get_local_id(0) % 32);
        if (lane1 < 1) {
            float acc4 = 0.0f;
            float acc5 = (-0.0f);
            for (int i1 = 0; i1 < (m % 64); ++i1) {
                const float t7 = (xss[2 * group0 * m + lane1 * (m % 64) + m * warp0 + i1 + 64 * (m / 64)] * ys[lane1 * (m % 64) + i1 + 64 * (m / 64)]);
                const float t8 = (acc4 + t7);
                const float t9 = (t8 - acc4);
                const float next6 = t8;
                const float next7 = ((acc5 + (-0.0f)) + ((acc4 - (t8 - t9)) + (t7 - t9)));
                acc4 = next6;
                acc5 = next7;
            }
            shared0[lane1 + 33 * warp0 + 32] = acc4;
            shared1[lane1 + 33 * warp0 + 32] = acc5;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp1 = (int)(get_local_id(0) / 32);
        int lane2 = (int)(get_local_id(0) % 32);
        if (lane2 < 11) {
            float acc6 = 0.0f;
            float acc7 = (-0.0f);
            const float e0 = shared0[3 * lane2 + 33 * warp1];
            const float e1 = shared0[3 * lane2 + 33 * warp1 + 1];
            const float t10 = (e0 + e1);
            const float e2 = shared0[3 * lane2 + 33 * warp1 + 2];
            const float t11 = (t10 + e2);
            const float t12 = (acc6 + t11);
            const float t13 = (t10 - e0);
            const float t14 = ((shared1[3 * lane2 + 33 * warp1] + shared1[3 * lane2 + 33 * warp1 + 1]) + ((e0 - (t10 - t13)) + (e1 - t13)));
            const float t15 = (t11 - t10);
            const float t16 = (t12 - acc6);
            const float t17 = ((acc7 + ((t14 + shared1[3 * lane2 + 33 * warp1 + 2]) + ((t10 - (t11 - t15)) + (e2 - t15)))) + ((acc6 - (t12 - t16)) + (t11 - t16)));
            acc6 = t12;
            acc7 = t17;
            shared2[lane2 + 11 * warp1] = acc6;
            shared3[lane2 + 11 * warp1] = acc7;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp2 = (int)(get_local_id(0) / 32);
        int lane3 = (int)(get_local_id(0) % 32);
        if (lane3 < 1) {
            float acc8 = 0.0f;
            float acc9 = (-0.0f);
            const float e3 = shared2[11 * lane3 + 11 * warp2];
            const float e4 = shared2[11 * lane3 + 11 * warp2 + 1];
            const float t18 = (e3 + e4);
            const float e5 = shared2[11 * lane3 + 11 * warp2 + 2];
            const float e6 = shared2[11 * lane3 + 11 * warp2 + 3];
            const float t19 = (e5 + e6);
            const float t20 = (t18 + t19);
            const float e7 = shared2[11 * lane3 + 11 * warp2 + 4];
            const float e8 = shared2[11 * lane3 + 11 * warp2 + 5];
            const float t21 = (e7 + e8);
            const float e9 = shared2[11 * lane3 + 11 * warp2 + 6];
            const float e10 = shared2[11 * lane3 + 11 * warp2 + 7];
            const float t22 = (e9 + e10);
            const float t23 = (t21 + t22);
            const float t24 = (t20 + t23);
            const float e11 = shared2[11 * lane3 + 11 * warp2 + 8];
            const float e12 = shared2[11 * lane3 + 11 * warp2 + 9];
            const float t25 = (e11 + e12);
            const float e13 = shared2[11 * lane3 + 11 * warp2 + 10];
            const float t26 = (t25 + e13);
            const float t27 = (t24 + t26);
            const float t28 = (acc8 + t27);
            const float t29 = (t18 - e3);
            const float t30 = ((shared3[11 * lane3 + 11 * warp2] + shared3[11 * lane3 + 11 * warp2 + 1]) + ((e3 - (t18 - t29)) + (e4 - t29)));
            const float t31 = (t19 - e5);
            const float t32 = ((shared3[11 * lane3 + 11 * warp2 + 2] + shared3[11 * lane3 + 11 * warp2 + 3]) + ((e5 - (t19 - t31)) + (e6 - t31)));
            const float t33 = (t20 - t18);
            const float t34 = (t21 - e7);
            const float t35 = ((shared3[11 * lane3 + 11 * warp2 + 4] + shared3[11 * lane3 + 11 * warp2 + 5]) + ((e7 - (t21 - t34)) + (e8 - t34)));
            const float t36 = (t22 - e9);
            const float t37 = ((shared3[11 * lane3 + 11 * warp2 + 6] + shared3[11 * lane3 + 11 * warp2 + 7]) + ((e9 - (t22 - t36)) + (e10 - t36)));
            const float t38 = (t23 - t21);
            const float t39 = (((t30 + t32) + ((t18 - (t20 - t33)) + (t19 - t33))) + ((t35 + t37) + ((t21 - (t23 - t38)) + (t22 - t38))));
            const float t40 = (t24 - t20);
            const float t41 = (t25 - e11);
            const float t42 = ((shared3[11 * lane3 + 11 * warp2 + 8] + shared3[11 * lane3 + 11 * warp2 + 9]) + ((e11 - (t25 - t41)) + (e12 - t41)));
            const float t43 = (t26 - t25);
            const float t44 = ((t39 + ((t20 - (t24 - t40)) + (t23 - t40))) + ((t42 + shared3[11 * lane3 + 11 * warp2 + 10]) + ((t25 - (t26 - t43)) + (e13 - t43))));
            const float t45 = (t27 - t24);
            const float t46 = (t28 - acc8);
            const float next8 = t28;
            const float next9 = ((acc9 + (t44 + ((t24 - (t27 - t45)) + (t26 - t45)))) + ((acc8 - (t28 - t46)) + (t27 - t46)));
            acc8 = next8;
            acc9 = next9;
            result[2 * group0 + lane3 + warp2] = ((fabs(acc9) > (-0.0f)) ? (acc8 + acc9) : acc8);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < (n % 2); group1 += (int)get_num_groups(0)) {
        int warp3 = (int)(get_local_id(0) / 32);
        if (warp3 < 1) {
            int lane4 = (int)(get_local_id(0) % 32);
            float2 acc10 = (float2)(0.0f);
            float2 acc11 = (float2)((-0.0f));
            for (int i2 = 0; i2 < (m / 64); ++i2) {
                const float2 t47 = (*(__global const unaligned_float2*)(xss + (group1 * m + m * warp3 + 2 * m * (n / 2) + 64 * i2 + 2 * lane4)) * *(__global const unaligned_float2*)(ys + (64 * i2 + 2 * lane4)));
                const float2 t48 = (acc10 + t47);
                const float2 t49 = (t48 - acc10);
                const float2 next10 = t48;
                const float2 next11 = ((acc11 + (float2)((-0.0f))) + ((acc10 - (t48 - t49)) + (t47 - t49)));
                acc10 = next10;
                acc11 = next11;
            }
            float acc12 = 0.0f;
            float acc13 = (-0.0f);
            const float t50 = (acc12 + acc10.s0);
            const float t51 = (t50 - acc12);
            const float next12 = t50;
            const float next13 = ((acc13 + acc11.s0) + ((acc12 - (t50 - t51)) + (acc10.s0 - t51)));
            acc12 = next12;
            acc13 = next13;
            const float t52 = (acc12 + acc10.s1);
            const float t53 = (t52 - acc12);
            const float next14 = t52;
            const float next15 = ((acc13 + acc11.s1) + ((acc12 - (t52 - t53)) + (acc10.s1 - t53)));
            acc12 = next14;
            acc13 = next15;
            shared0[lane4 + 33 * warp3] = acc12;
            shared1[lane4 + 33 * warp3] = acc13;
            int lane5 = (int)(get_local_id(0) % 32);
            if (lane5 < 1) {
                float acc14 = 0.0f;
                float acc15 = (-0.0f);
                for (int i3 = 0; i3 < (m % 64); ++i3) {
                    const float t54 = (xss[group1 * m + lane5 * (m % 64) + m * warp3 + 2 * m * (n / 2) + i3 + 64 * (m / 64)] * ys[lane5 * (m % 64) + i3 + 64 * (m / 64)]);
                    const float t55 = (acc14 + t54);
                    const float t56 = (t55 - acc14);
                    const float next16 = t55;
                    const float next17 = ((acc15 + (-0.0f)) + ((acc14 - (t55 - t56)) + (t54 - t56)));
                    acc14 = next16;
                    acc15 = next17;
                }
                shared0[lane5 + 33 * warp3 + 32] = acc14;
                shared1[lane5 + 33 * warp3 + 32] = acc15;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp4 = (int)(get_local_id(0) / 32);
        if (warp4 < 1) {
            int lane6 = (int)(get_local_id(0) % 32);
            if (lane6 < 11) {
                float acc16 = 0.0f;
                float acc17 = (-0.0f);
                const float e14 = shared0[3 * lane6 + 33 * warp4];
                const float e15 = shared0[3 * lane6 + 33 * warp4 + 1];
                const float t57 = (e14 + e15);
                const float e16 = shared0[3 * lane6 + 33 * warp4 + 2];
                const float t58 = (t57 + e16);
                const float t59 = (acc16 + t58);
                const float t60 = (t57 - e14);
                const float t61 = ((shared1[3 * lane6 + 33 * warp4] + shared1[3 * lane6 + 33 * warp4 + 1]) + ((e14 - (t57 - t60)) + (e15 - t60)));
                const float t62 = (t58 - t57);
                const float t63 = (t59 - acc16);
                const float t64 = ((acc17 + ((t61 + shared1[3 * lane6 + 33 * warp4 + 2]) + ((t57 - (t58 - t62)) + (e16 - t62)))) + ((acc16 - (t59 - t63)) + (t58 - t63)));
                acc16 = t59;
                acc17 = t64;
                shared2[lane6 + 11 * warp4] = acc16;
                shared3[lane6 + 11 * warp4] = acc17;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp5 = (int)(get_local_id(0) / 32);
        if (warp5 < 1) {
            int lane7 = (int)(get_local_id(0) % 32);
            if (lane7 < 1) {
                float acc18 = 0.0f;
                float acc19 = (-0.0f);
                const float e17 = shared2[11 * lane7 + 11 * warp5];
                const float e18 = shared2[11 * lane7 + 11 * warp5 + 1];
                const float t65 = (e17 + e18);
                const float e19 = shared2[11 * lane7 + 11 * warp5 + 2];
                const float e20 = shared2[11 * lane7 + 11 * warp5 + 3];
                const float t66 = (e19 + e20);
                const float t67 = (t65 + t66);
                const float e21 = shared2[11 * lane7 + 11 * warp5 + 4];
                const float e22 = shared2[11 * lane7 + 11 * warp5 + 5];
                const float t68 = (e21 + e22);
                const float e23 = shared2[11 * lane7 + 11 * warp5 + 6];
                const float e24 = shared2[11 * lane7 + 11 * warp5 + 7];
                const float t69 = (e23 + e24);
                const float t70 = (t68 + t69);
                const float t71 = (t67 + t70);
                const float e25 = shared2[11 * lane7 + 11 * warp5 + 8];
                const float e26 = shared2[11 * lane7 + 11 * warp5 + 9];
                const float t72 = (e25 + e26);
                const float e27 = shared2[11 * lane7 + 11 * warp5 + 10];
                const float t73 = (t72 + e27);
                const float t74 = (t71 + t73);
                const float t75 = (acc18 + t74);
                const float t76 = (t65 - e17);
                const float t77 = ((shared3[11 * lane7 + 11 * warp5] + shared3[11 * lane7 + 11 * warp5 + 1]) + ((e17 - (t65 - t76)) + (e18 - t76)));
                const float t78 = (t66 - e19);
                const float t79 = ((shared3[11 * lane7 + 11 * warp5 + 2] + shared3[11 * lane7 + 11 * warp5 + 3]) + ((e19 - (t66 - t78)) + (e20 - t78)));
                const float t80 = (t67 - t65);
                const float t81 = (t68 - e21);
                const float t82 = ((shared3[11 * lane7 + 11 * warp5 + 4] + shared3[11 * lane7 + 11 * warp5 + 5]) + ((e21 - (t68 - t81)) + (e22 - t81)));
                const float t83 = (t69 - e23);
                const float t84 = ((shared3[11 * lane7 + 11 * warp5 + 6] + shared3[11 * lane7 + 11 * warp5 + 7]) + ((e23 - (t69 - t83)) + (e24 - t83)));
                const float t85 = (t70 - t68);
                const float t86 = (((t77 + t79) + ((t65 - (t67 - t80)) + (t66 - t80))) + ((t82 + t84) + ((t68 - (t70 - t85)) + (t69 - t85))));
                const float t87 = (t71 - t67);
                const float t88 = (t72 - e25);
                const float t89 = ((shared3[11 * lane7 + 11 * warp5 + 8] + shared3[11 * lane7 + 11 * warp5 + 9]) + ((e25 - (t72 - t88)) + (e26 - t88)));
                const float t90 = (t73 - t72);
                const float t91 = ((t86 + ((t67 - (t71 - t87)) + (t70 - t87))) + ((t89 + shared3[11 * lane7 + 11 * warp5 + 10]) + ((t72 - (t73 - t90)) + (e27 - t90))));
                const float t92 = (t74 - t71);
                const float t93 = (t75 - acc18);
                const float next18 = t75;
                const float next19 = ((acc19 + (t91 + ((t71 - (t74 - t92)) + (t73 - t92)))) + ((acc18 - (t75 - t93)) + (t74 - t93)));
                acc18 = next18;
                acc19 = next19;
                result[group1 + lane7 + warp5 + 2 * (n / 2)] = ((fabs(acc19) > (-0.0f)) ? (acc18 + acc19) : acc18);
            }
        }
    }
}
