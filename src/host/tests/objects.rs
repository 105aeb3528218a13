//! Objects that begin and end, virtual functions, exceptions.

use super::harness::{output, run_with};

#[test]
fn functions_are_called_through_pointers() {
    let text = output(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        int twice(int x) { return 2 * x; }
        int square(int x) { return x * x; }
        int apply(int (*f)(int), int x) { return f(x); }
        int descending(const void* a, const void* b) { return *(const int*)b - *(const int*)a; }
        int main() {
            int (*f)(int) = twice;
            printf("%d %d %d\n", f(3), apply(f, 5), apply(square, 5));
            int v[6] = {3, 1, 4, 1, 5, 9};
            qsort(v, 6, sizeof(int), descending);
            for (int i = 0; i < 6; i++) printf("%d ", v[i]);
            int key = 4;
            int* found = (int*)bsearch(&key, v, 6, sizeof(int), descending);
            printf("%d\n", (int)(found - v));
        }
        "#,
    );
    assert_eq!(text, "6 10 25\n9 5 4 3 1 1 2\n");
}

#[test]
fn objects_end_with_their_scope_the_last_first() {
    let text = output(
        r#"
        #include <stdio.h>
        struct Noisy {
            int id;
            Noisy(int i) : id(i) { printf("+%d ", id); }
            ~Noisy() { printf("-%d ", id); }
        };
        int last = 3;
        struct Numbered {
            int id;
            Numbered() : id(++last) { printf("+%d ", id); }
            ~Numbered() { printf("-%d ", id); }
        };
        int f(int n) {
            Noisy a(1);
            for (int i = 0; i < 3; i++) {
                Noisy b(10 + i);
                if (i == n) return i;
                if (i == 0) continue;
            }
            Noisy c(2);
            return 7;
        }
        int main() {
            printf("%d\n", f(1));
            printf("%d\n", f(5));
            Noisy* p = new Noisy(3);
            delete p;
            Numbered* many = new Numbered[2];
            delete[] many;
            printf("end\n");
            return 0;
        }
        "#,
    );
    assert_eq!(
        text,
        "+1 +10 -10 +11 -11 -1 1\n+1 +10 -10 +11 -11 +12 -12 +2 -2 -1 7\n+3 -3 +4 +5 -5 -4 end\n"
    );
}

#[test]
fn virtual_functions_are_those_of_the_object() {
    let text = output(
        r#"
        #include <stdio.h>
        struct Shape { virtual float area() { return 0; } virtual ~Shape() { printf("~Shape "); } };
        struct Square : Shape { float a; Square(float x) : a(x) {} float area() { return a * a; } ~Square() { printf("~Square "); } };
        struct Circle : Shape { float area() { return 3; } };
        int main() {
            Shape* shapes[2] = {new Square(2), new Circle()};
            for (int i = 0; i < 2; i++) printf("%.1f ", shapes[i]->area());
            for (int i = 0; i < 2; i++) delete shapes[i];
            printf("\n");
        }
        "#,
    );
    assert_eq!(text, "4.0 3.0 ~Square ~Shape ~Shape \n");
}

#[test]
fn what_is_thrown_ends_objects_on_its_way_to_the_handler() {
    let text = output(
        r#"
        #include <stdio.h>
        struct Noisy { int id; Noisy(int i) : id(i) {} ~Noisy() { printf("-%d ", id); } };
        struct Error { int code; };
        void deep(int n) { Noisy a(n); if (n == 3) throw Error{42}; deep(n + 1); }
        int main() {
            try { Noisy b(0); deep(1); printf("never"); }
            catch (int i) { printf("int"); }
            catch (const Error& e) { printf("caught %d\n", e.code); }
            try { try { throw 5; } catch (int i) { printf("first %d ", i); throw; } }
            catch (...) { printf("again\n"); }
        }
        "#,
    );
    assert_eq!(text, "-3 -2 -1 -0 caught 42\nfirst 5 again\n");
}

#[test]
fn what_nobody_catches_ends_the_program() {
    let ran = run_with(
        "#include <stdio.h>\nint main() { printf(\"a\\n\"); throw 1; }",
        "",
    );
    assert_eq!(ran.exit.code, 134);
    assert_eq!(ran.output, "a\n");
    assert_eq!(
        ran.error,
        "terminate called after throwing an instance of 'int'\n"
    );
}
