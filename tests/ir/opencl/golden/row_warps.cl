#pragma OPENCL FP_CONTRACT OFF
typedef float2 __attribute__((aligned(sizeof(float)))) unaligned_float2;

__kernel void row_warps(
    __global const float* restrict ys,
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    __local float shared0[256] __attribute__((aligned(16)));
    __local float shared1[256] __attribute__((aligned(16)));
    __local float shared2[32] __attribute__((aligned(16)));
    __local float shared3[32] __attribute__((aligned(16)));
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
        shared0[lane0 + 128 * warp0] = t3;
        const float t4 = (t3 - acc0.s0);
        shared1[lane0 + 128 * warp0] = ((acc1.s0 + acc1.s1) + ((acc0.s0 - (t3 - t4)) + (acc0.s1 - t4)));
        int lane1 = (int)(get_local_id(0) % 32);
        float acc2 = 0.0f;
        float acc3 = (-0.0f);
        for (int i1 = 0; i1 < (((m / 32)) % 2); ++i1) {
            const float t5 = (xss[2 * group0 * m + m * warp0 + 32 * i1 + lane1 + 64 * (m / 64)] * ys[32 * i1 + lane1 + 64 * (m / 64)]);
            const float t6 = (acc2 + t5);
            const float t7 = (t6 - acc2);
            const float next2 = t6;
            const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t6 - t7)) + (t5 - t7)));
            acc2 = next2;
            acc3 = next3;
        }
        shared0[lane1 + 128 * warp0 + 32] = acc2;
        shared1[lane1 + 128 * warp0 + 32] = acc3;
        int lane2 = (int)(get_local_id(0) % 32);
        if (lane2 < (m % 32)) {
            shared0[lane2 + 128 * warp0 + 64] = (xss[2 * group0 * m + m * warp0 + lane2 + 32 * (m / 32)] * ys[lane2 + 32 * (m / 32)]);
            shared1[lane2 + 128 * warp0 + 64] = (-0.0f);
        }
        for (int lane3 = (int)(get_local_id(0) % 32); lane3 < 64 - (m % 32); lane3 += (int)32) {
            shared0[lane3 + 128 * warp0 + (m % 32) + 64] = 0.0f;
            shared1[lane3 + 128 * warp0 + (m % 32) + 64] = (-0.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp1 = (int)(get_local_id(0) / 32);
        int lane4 = (int)(get_local_id(0) % 32);
        if (lane4 < 16) {
            const float e0 = shared0[8 * lane4 + 128 * warp1];
            const float e1 = shared0[8 * lane4 + 128 * warp1 + 1];
            const float t8 = (e0 + e1);
            const float e2 = shared0[8 * lane4 + 128 * warp1 + 2];
            const float e3 = shared0[8 * lane4 + 128 * warp1 + 3];
            const float t9 = (e2 + e3);
            const float t10 = (t8 + t9);
            const float e4 = shared0[8 * lane4 + 128 * warp1 + 4];
            const float e5 = shared0[8 * lane4 + 128 * warp1 + 5];
            const float t11 = (e4 + e5);
            const float e6 = shared0[8 * lane4 + 128 * warp1 + 6];
            const float e7 = shared0[8 * lane4 + 128 * warp1 + 7];
            const float t12 = (e6 + e7);
            const float t13 = (t11 + t12);
            const float t14 = (t10 + t13);
            shared2[lane4 + 16 * warp1] = t14;
            const float t15 = (t8 - e0);
            const float t16 = ((shared1[8 * lane4 + 128 * warp1] + shared1[8 * lane4 + 128 * warp1 + 1]) + ((e0 - (t8 - t15)) + (e1 - t15)));
            const float t17 = (t9 - e2);
            const float t18 = ((shared1[8 * lane4 + 128 * warp1 + 2] + shared1[8 * lane4 + 128 * warp1 + 3]) + ((e2 - (t9 - t17)) + (e3 - t17)));
            const float t19 = (t10 - t8);
            const float t20 = (t11 - e4);
            const float t21 = ((shared1[8 * lane4 + 128 * warp1 + 4] + shared1[8 * lane4 + 128 * warp1 + 5]) + ((e4 - (t11 - t20)) + (e5 - t20)));
            const float t22 = (t12 - e6);
            const float t23 = ((shared1[8 * lane4 + 128 * warp1 + 6] + shared1[8 * lane4 + 128 * warp1 + 7]) + ((e6 - (t12 - t22)) + (e7 - t22)));
            const float t24 = (t13 - t11);
            const float t25 = (((t16 + t18) + ((t8 - (t10 - t19)) + (t9 - t19))) + ((t21 + t23) + ((t11 - (t13 - t24)) + (t12 - t24))));
            const float t26 = (t14 - t10);
            shared3[lane4 + 16 * warp1] = (t25 + ((t10 - (t14 - t26)) + (t13 - t26)));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp2 = (int)(get_local_id(0) / 32);
        int lane5 = (int)(get_local_id(0) % 32);
        if (lane5 < 1) {
            const float e8 = shared2[16 * lane5 + 16 * warp2];
            const float e9 = shared2[16 * lane5 + 16 * warp2 + 1];
            const float t27 = (e8 + e9);
            const float t28 = (t27 - e8);
            const float t29 = ((shared3[16 * lane5 + 16 * warp2] + shared3[16 * lane5 + 16 * warp2 + 1]) + ((e8 - (t27 - t28)) + (e9 - t28)));
            const float e10 = shared2[16 * lane5 + 16 * warp2 + 2];
            const float e11 = shared2[16 * lane5 + 16 * warp2 + 3];
            const float t30 = (e10 + e11);
            const float t31 = (t30 - e10);
            const float t32 = ((shared3[16 * lane5 + 16 * warp2 + 2] + shared3[16 * lane5 + 16 * warp2 + 3]) + ((e10 - (t30 - t31)) + (e11 - t31)));
            const float t33 = (t27 + t30);
            const float t34 = (t33 - t27);
            const float e12 = shared2[16 * lane5 + 16 * warp2 + 4];
            const float e13 = shared2[16 * lane5 + 16 * warp2 + 5];
            const float t35 = (e12 + e13);
            const float t36 = (t35 - e12);
            const float t37 = ((shared3[16 * lane5 + 16 * warp2 + 4] + shared3[16 * lane5 + 16 * warp2 + 5]) + ((e12 - (t35 - t36)) + (e13 - t36)));
            const float e14 = shared2[16 * lane5 + 16 * warp2 + 6];
            const float e15 = shared2[16 * lane5 + 16 * warp2 + 7];
            const float t38 = (e14 + e15);
            const float t39 = (t38 - e14);
            const float t40 = ((shared3[16 * lane5 + 16 * warp2 + 6] + shared3[16 * lane5 + 16 * warp2 + 7]) + ((e14 - (t38 - t39)) + (e15 - t39)));
            const float t41 = (t35 + t38);
            const float t42 = (t41 - t35);
            const float t43 = (((t29 + t32) + ((t27 - (t33 - t34)) + (t30 - t34))) + ((t37 + t40) + ((t35 - (t41 - t42)) + (t38 - t42))));
            const float t44 = (t33 + t41);
            const float t45 = (t44 - t33);
            const float e16 = shared2[16 * lane5 + 16 * warp2 + 8];
            const float e17 = shared2[16 * lane5 + 16 * warp2 + 9];
            const float t46 = (e16 + e17);
            const float t47 = (t46 - e16);
            const float t48 = ((shared3[16 * lane5 + 16 * warp2 + 8] + shared3[16 * lane5 + 16 * warp2 + 9]) + ((e16 - (t46 - t47)) + (e17 - t47)));
            const float e18 = shared2[16 * lane5 + 16 * warp2 + 10];
            const float e19 = shared2[16 * lane5 + 16 * warp2 + 11];
            const float t49 = (e18 + e19);
            const float t50 = (t49 - e18);
            const float t51 = ((shared3[16 * lane5 + 16 * warp2 + 10] + shared3[16 * lane5 + 16 * warp2 + 11]) + ((e18 - (t49 - t50)) + (e19 - t50)));
            const float t52 = (t46 + t49);
            const float t53 = (t52 - t46);
            const float e20 = shared2[16 * lane5 + 16 * warp2 + 12];
            const float e21 = shared2[16 * lane5 + 16 * warp2 + 13];
            const float t54 = (e20 + e21);
            const float t55 = (t54 - e20);
            const float t56 = ((shared3[16 * lane5 + 16 * warp2 + 12] + shared3[16 * lane5 + 16 * warp2 + 13]) + ((e20 - (t54 - t55)) + (e21 - t55)));
            const float e22 = shared2[16 * lane5 + 16 * warp2 + 14];
            const float e23 = shared2[16 * lane5 + 16 * warp2 + 15];
            const float t57 = (e22 + e23);
            const float t58 = (t57 - e22);
            const float t59 = ((shared3[16 * lane5 + 16 * warp2 + 14] + shared3[16 * lane5 + 16 * warp2 + 15]) + ((e22 - (t57 - t58)) + (e23 - t58)));
            const float t60 = (t54 + t57);
            const float t61 = (t60 - t54);
            const float t62 = (((t48 + t51) + ((t46 - (t52 - t53)) + (t49 - t53))) + ((t56 + t59) + ((t54 - (t60 - t61)) + (t57 - t61))));
            const float t63 = (t52 + t60);
            const float t64 = (t63 - t52);
            const float t65 = (t44 + t63);
            const float t66 = (t65 - t44);
            const float t67 = (((t43 + ((t33 - (t44 - t45)) + (t41 - t45))) + (t62 + ((t52 - (t63 - t64)) + (t60 - t64)))) + ((t44 - (t65 - t66)) + (t63 - t66)));
            result[2 * group0 + lane5 + warp2] = ((fabs(t67) > (-0.0f)) ? (t65 + t67) : t65);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < (n % 2); group1 += (int)get_num_groups(0)) {
        int warp3 = (int)(get_local_id(0) / 32);
        if (warp3 < 1) {
            int lane6 = (int)(get_local_id(0) % 32);
            float2 acc4 = (float2)(0.0f);
            float2 acc5 = (float2)((-0.0f));
            for (int i2 = 0; i2 < (m / 64); ++i2) {
                const float2 t68 = (*(__global const unaligned_float2*)(xss + (group1 * m + m * warp3 + 2 * m * (n / 2) + 64 * i2 + 2 * lane6)) * *(__global const unaligned_float2*)(ys + (64 * i2 + 2 * lane6)));
                const float2 t69 = (acc4 + t68);
                const float2 t70 = (t69 - acc4);
                const float2 next4 = t69;
                const float2 next5 = ((acc5 + (float2)((-0.0f))) + ((acc4 - (t69 - t70)) + (t68 - t70)));
                acc4 = next4;
                acc5 = next5;
            }
            const float t71 = (acc4.s0 + acc4.s1);
            shared0[lane6 + 128 * warp3] = t71;
            const float t72 = (t71 - acc4.s0);
            shared1[lane6 + 128 * warp3] = ((acc5.s0 + acc5.s1) + ((acc4.s0 - (t71 - t72)) + (acc4.s1 - t72)));
            int lane7 = (int)(get_local_id(0) % 32);
            float acc6 = 0.0f;
            float acc7 = (-0.0f);
            for (int i3 = 0; i3 < (((m / 32)) % 2); ++i3) {
                const float t73 = (xss[group1 * m + m * warp3 + 2 * m * (n / 2) + 32 * i3 + lane7 + 64 * (m / 64)] * ys[32 * i3 + lane7 + 64 * (m / 64)]);
                const float t74 = (acc6 + t73);
                const float t75 = (t74 - acc6);
                const float next6 = t74;
                const float next7 = ((acc7 + (-0.0f)) + ((acc6 - (t74 - t75)) + (t73 - t75)));
                acc6 = next6;
                acc7 = next7;
            }
            shared0[lane7 + 128 * warp3 + 32] = acc6;
            shared1[lane7 + 128 * warp3 + 32] = acc7;
            int lane8 = (int)(get_local_id(0) % 32);
            if (lane8 < (m % 32)) {
                shared0[lane8 + 128 * warp3 + 64] = (xss[group1 * m + m * warp3 + 2 * m * (n / 2) + lane8 + 32 * (m / 32)] * ys[lane8 + 32 * (m / 32)]);
                shared1[lane8 + 128 * warp3 + 64] = (-0.0f);
            }
            for (int lane9 = (int)(get_local_id(0) % 32); lane9 < 64 - (m % 32); lane9 += (int)32) {
                shared0[lane9 + 128 * warp3 + (m % 32) + 64] = 0.0f;
                shared1[lane9 + 128 * warp3 + (m % 32) + 64] = (-0.0f);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp4 = (int)(get_local_id(0) / 32);
        if (warp4 < 1) {
            int lane10 = (int)(get_local_id(0) % 32);
            if (lane10 < 16) {
                const float e24 = shared0[8 * lane10 + 128 * warp4];
                const float e25 = shared0[8 * lane10 + 128 * warp4 + 1];
                const float t76 = (e24 + e25);
                const float e26 = shared0[8 * lane10 + 128 * warp4 + 2];
                const float e27 = shared0[8 * lane10 + 128 * warp4 + 3];
                const float t77 = (e26 + e27);
                const float t78 = (t76 + t77);
                const float e28 = shared0[8 * lane10 + 128 * warp4 + 4];
                const float e29 = shared0[8 * lane10 + 128 * warp4 + 5];
                const float t79 = (e28 + e29);
                const float e30 = shared0[8 * lane10 + 128 * warp4 + 6];
                const float e31 = shared0[8 * lane10 + 128 * warp4 + 7];
                const float t80 = (e30 + e31);
                const float t81 = (t79 + t80);
                const float t82 = (t78 + t81);
                shared2[lane10 + 16 * warp4] = t82;
                const float t83 = (t76 - e24);
                const float t84 = ((shared1[8 * lane10 + 128 * warp4] + shared1[8 * lane10 + 128 * warp4 + 1]) + ((e24 - (t76 - t83)) + (e25 - t83)));
                const float t85 = (t77 - e26);
                const float t86 = ((shared1[8 * lane10 + 128 * warp4 + 2] + shared1[8 * lane10 + 128 * warp4 + 3]) + ((e26 - (t77 - t85)) + (e27 - t85)));
                const float t87 = (t78 - t76);
                const float t88 = (t79 - e28);
                const float t89 = ((shared1[8 * lane10 + 128 * warp4 + 4] + shared1[8 * lane10 + 128 * warp4 + 5]) + ((e28 - (t79 - t88)) + (e29 - t88)));
                const float t90 = (t80 - e30);
                const float t91 = ((shared1[8 * lane10 + 128 * warp4 + 6] + shared1[8 * lane10 + 128 * warp4 + 7]) + ((e30 - (t80 - t90)) + (e31 - t90)));
                const float t92 = (t81 - t79);
                const float t93 = (((t84 + t86) + ((t76 - (t78 - t87)) + (t77 - t87))) + ((t89 + t91) + ((t79 - (t81 - t92)) + (t80 - t92))));
                const float t94 = (t82 - t78);
                shared3[lane10 + 16 * warp4] = (t93 + ((t78 - (t82 - t94)) + (t81 - t94)));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp5 = (int)(get_local_id(0) / 32);
        if (warp5 < 1) {
            int lane11 = (int)(get_local_id(0) % 32);
            if (lane11 < 1) {
                const float e32 = shared2[16 * lane11 + 16 * warp5];
                const float e33 = shared2[16 * lane11 + 16 * warp5 + 1];
                const float t95 = (e32 + e33);
                const float t96 = (t95 - e32);
                const float t97 = ((shared3[16 * lane11 + 16 * warp5] + shared3[16 * lane11 + 16 * warp5 + 1]) + ((e32 - (t95 - t96)) + (e33 - t96)));
                const float e34 = shared2[16 * lane11 + 16 * warp5 + 2];
                const float e35 = shared2[16 * lane11 + 16 * warp5 + 3];
                const float t98 = (e34 + e35);
                const float t99 = (t98 - e34);
                const float t100 = ((shared3[16 * lane11 + 16 * warp5 + 2] + shared3[16 * lane11 + 16 * warp5 + 3]) + ((e34 - (t98 - t99)) + (e35 - t99)));
                const float t101 = (t95 + t98);
                const float t102 = (t101 - t95);
                const float e36 = shared2[16 * lane11 + 16 * warp5 + 4];
                const float e37 = shared2[16 * lane11 + 16 * warp5 + 5];
                const float t103 = (e36 + e37);
                const float t104 = (t103 - e36);
                const float t105 = ((shared3[16 * lane11 + 16 * warp5 + 4] + shared3[16 * lane11 + 16 * warp5 + 5]) + ((e36 - (t103 - t104)) + (e37 - t104)));
                const float e38 = shared2[16 * lane11 + 16 * warp5 + 6];
                const float e39 = shared2[16 * lane11 + 16 * warp5 + 7];
                const float t106 = (e38 + e39);
                const float t107 = (t106 - e38);
                const float t108 = ((shared3[16 * lane11 + 16 * warp5 + 6] + shared3[16 * lane11 + 16 * warp5 + 7]) + ((e38 - (t106 - t107)) + (e39 - t107)));
                const float t109 = (t103 + t106);
                const float t110 = (t109 - t103);
                const float t111 = (((t97 + t100) + ((t95 - (t101 - t102)) + (t98 - t102))) + ((t105 + t108) + ((t103 - (t109 - t110)) + (t106 - t110))));
                const float t112 = (t101 + t109);
                const float t113 = (t112 - t101);
                const float e40 = shared2[16 * lane11 + 16 * warp5 + 8];
                const float e41 = shared2[16 * lane11 + 16 * warp5 + 9];
                const float t114 = (e40 + e41);
                const float t115 = (t114 - e40);
                const float t116 = ((shared3[16 * lane11 + 16 * warp5 + 8] + shared3[16 * lane11 + 16 * warp5 + 9]) + ((e40 - (t114 - t115)) + (e41 - t115)));
                const float e42 = shared2[16 * lane11 + 16 * warp5 + 10];
                const float e43 = shared2[16 * lane11 + 16 * warp5 + 11];
                const float t117 = (e42 + e43);
                const float t118 = (t117 - e42);
                const float t119 = ((shared3[16 * lane11 + 16 * warp5 + 10] + shared3[16 * lane11 + 16 * warp5 + 11]) + ((e42 - (t117 - t118)) + (e43 - t118)));
                const float t120 = (t114 + t117);
                const float t121 = (t120 - t114);
                const float e44 = shared2[16 * lane11 + 16 * warp5 + 12];
                const float e45 = shared2[16 * lane11 + 16 * warp5 + 13];
                const float t122 = (e44 + e45);
                const float t123 = (t122 - e44);
                const float t124 = ((shared3[16 * lane11 + 16 * warp5 + 12] + shared3[16 * lane11 + 16 * warp5 + 13]) + ((e44 - (t122 - t123)) + (e45 - t123)));
                const float e46 = shared2[16 * lane11 + 16 * warp5 + 14];
                const float e47 = shared2[16 * lane11 + 16 * warp5 + 15];
                const float t125 = (e46 + e47);
                const float t126 = (t125 - e46);
                const float t127 = ((shared3[16 * lane11 + 16 * warp5 + 14] + shared3[16 * lane11 + 16 * warp5 + 15]) + ((e46 - (t125 - t126)) + (e47 - t126)));
                const float t128 = (t122 + t125);
                const float t129 = (t128 - t122);
                const float t130 = (((t116 + t119) + ((t114 - (t120 - t121)) + (t117 - t121))) + ((t124 + t127) + ((t122 - (t128 - t129)) + (t125 - t129))));
                const float t131 = (t120 + t128);
                const float t132 = (t131 - t120);
                const float t133 = ((t111 + ((t101 - (t112 - t113)) + (t109 - t113))) + (t130 + ((t120 - (t131 - t132)) + (t128 - t132))));
                const float t134 = (t112 + t131);
                const float t135 = (t134 - t112);
                const float t136 = (t133 + ((t112 - (t134 - t135)) + (t131 - t135)));
                result[group1 + lane11 + warp5 + 2 * (n / 2)] = ((fabs(t136) > (-0.0f)) ? (t134 + t136) : t134);
            }
        }
    }
}
