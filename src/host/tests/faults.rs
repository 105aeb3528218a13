//! Programs that cannot go on.

use super::harness::{Ran, checked, run_with};

fn fault(body: &str) -> (i32, String, String) {
    let text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\nint zero = 0;\nint down(int n) {{ return down(n + 1) + n; }}\nint main() {{ {body}\n return 0; }}"
    );
    let Ran { exit, error, .. } = run_with(&text, "");
    let fault = exit.fault.expect("does not end well");
    let notes = fault.notes.join("; ");
    (
        exit.code,
        format!("{}: {} ({notes})", fault.message, fault.labels[0].text),
        error,
    )
}

#[test]
fn addresses_without_memory_are_segmentation_faults() {
    let (code, text, _) = fault("int* p = 0; p[3] = 1;");
    assert_eq!(code, 139);
    assert_eq!(
        text,
        "segmentation fault: uses the address 0xc (that is a null pointer, or an element or field past one)"
    );
    let (code, text, _) = fault("float* p = (float*)(1LL << 40); printf(\"%f\", p[2]);");
    assert_eq!(code, 139);
    assert!(text.contains("byte 8 of a buffer of 64 bytes"), "{text}");
    let (code, text, _) = fault("int* p = (int*)malloc(1 << 21); p[1 << 19] = 1;");
    assert_eq!(code, 139);
    assert!(
        text.contains("byte 2097152 of a block of 2097152 bytes"),
        "{text}"
    );
}

#[test]
fn endless_recursion_uses_up_the_stack() {
    let (code, text, _) = fault("printf(\"%d\", down(0));");
    assert_eq!(code, 139);
    assert!(
        text.starts_with("segmentation fault: the stack of 8 MiB is used up"),
        "{text}"
    );
}

#[test]
fn functions_that_only_kernels_have_give_no_made_up_value() {
    let (_, text, _) = fault("printf(\"%u\", __byte_perm(1u, 2u, 0x7531u));");
    assert!(text.contains("only a kernel can do this"), "{text}");
}

#[test]
fn divisions_without_a_result_are_floating_point_exceptions() {
    assert_eq!(fault("printf(\"%d\", 1 / zero);").0, 136);
    let (code, text, _) = fault("printf(\"%d\", (-2147483647 - 1) / (zero - 1));");
    assert_eq!(
        (code, text.as_str()),
        (
            136,
            "floating point exception: the result does not fit its type ()"
        )
    );
}

#[test]
fn blocks_freed_twice_abort_with_the_message_of_glibc() {
    let (code, _, error) = fault("char* p = (char*)malloc(10); free(p); free(p);");
    assert_eq!(
        (code, error.as_str()),
        (134, "free(): double free detected in tcache 2\n")
    );
    let (_, _, error) = fault("char* p = (char*)malloc(10); free(p + 16);");
    assert_eq!(error, "free(): invalid pointer\n");
    assert_eq!(fault("abort();").0, 134);
}
#[test]
fn exit_runs_what_was_registered_the_last_first() {
    let ran = run_with(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        void first() { printf("first\n"); }
        void second() { printf("second\n"); exit(4); }
        int main() { atexit(first); atexit(second); printf("main\n"); exit(3); }
        "#,
        "",
    );
    assert_eq!(
        (ran.exit.code, ran.output.as_str()),
        (4, "main\nsecond\nfirst\n")
    );
}

#[test]
fn accesses_outside_of_blocks_are_told_where_the_heap_is_checked() {
    let text = r#"
        #include <cstdio>
        #include <cstdlib>
        #include <cstring>
        #include <vector>
        int main() {
            int* a = (int*)malloc(40);
            for (int i = 0; i <= 10; i++) a[i] = i;
            std::vector<float> v(8);
            float last = v[8];
            char* name = (char*)malloc(5);
            strcpy(name, "fives");
            free(a);
            printf("%d %f\n", a[0], last);
            return v.size() != 8;
        }
    "#;
    let file = crate::source::SourceFile::new("test.cu", text);
    let found = checked(text);
    let told: Vec<_> = found
        .iter()
        .map(|found| {
            (
                file.line(found.span().start),
                &found.message[..],
                &found.labels[0].text[..],
            )
        })
        .collect();
    let outside = |length: &str| format!("an access of {length} outside of a block of the heap");
    let (four, six) = (outside("4 bytes"), outside("6 bytes"));
    let freed = "in no block that is in use: was it freed?";
    assert_eq!(
        told,
        [
            (8, &four[..], "byte 40 of a block of 40"),
            (10, &four[..], "byte 32 of a block of 32"),
            (12, &six[..], "byte 0 of a block of 5"),
            (14, &four[..], freed),
        ]
    );
    assert_eq!(file.line(found[0].labels[1].span.start), 7);
    assert_eq!(file.line(found[1].labels[1].span.start), 9);
}
