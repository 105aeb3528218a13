//! Classes in whole programs: what becomes of their objects.

use super::program::{function, program};
use super::*;

/// How often `part` stands in what a function does.
fn count(program: &Program, name: &str, part: &str) -> usize {
    let body = format!("{:?}", function(program, name).body);
    body.matches(part).count()
}

const LOUD: &str = r#"
    extern "C" int printf(const char*, ...);
    struct Loud {
        int id;
        Loud(int id) : id(id) { printf("make %d\n", id); }
        Loud(const Loud& o) : id(o.id + 100) { printf("copy %d\n", id); }
        Loud(Loud&& o) : id(o.id + 200) { o.id = -1; printf("move %d\n", id); }
        Loud& operator=(const Loud& o) { id = o.id; return *this; }
        ~Loud() { printf("end %d\n", id); }
    };
"#;

#[test]
fn variables_end_with_their_block_and_temporaries_with_their_expression() {
    let text = format!(
        "{LOUD} Loud give(int i) {{ return Loud(i); }}
         int main() {{ Loud a(5); Loud b = a; Loud c = give(6); give(7); return give(8).id; }}"
    );
    let program = program(&text);
    assert_eq!(count(&program, "main", "ObjectBegins"), 3);
    assert_eq!(count(&program, "main", "TemporaryBegins"), 2);
    // What `give` makes is made where it is wanted.
    assert_eq!(count(&program, "give", "Begins"), 0);
    assert_eq!(function(&program, "give").returns, Type::Void);
    assert_eq!(function(&program, "give").parameter_count, 2);
}

#[test]
fn members_and_bases_are_copied_and_end_by_functions_that_nobody_wrote() {
    let text = format!(
        "{LOUD} struct Pair {{ Loud a; Loud b; Pair() : a(1), b(2) {{}} }};
         struct More : Pair {{ int n = 3; }};
         int main() {{ More p; More q = p; q = p; return q.n + q.a.id; }}"
    );
    let program = program(&text);
    assert_eq!(count(&program, "Pair::~", "ObjectBegins"), 2);
    assert_eq!(count(&program, "More::~", "ObjectBegins"), 1);
    assert_eq!(count(&program, "More::operator=", "Call("), 1);
}

#[test]
fn virtual_functions_are_called_through_tables() {
    let program = program(
        "struct Shape { virtual double area() const = 0; virtual ~Shape() {} };
         struct Square : public Shape { double s; explicit Square(double s) : s(s) {}
             double area() const override { return s * s; } };
         double of(const Shape& s) { return s.area(); }
         int main() { Shape* p = new Square(3.0); double a = of(*p); delete p; return (int)a; }",
    );
    assert_eq!(count(&program, "of", "CallVirtual"), 1);
    assert_eq!(count(&program, "main", "Virtual(1)"), 1);
    // The destructor of `Shape` takes its own table back.
    assert_eq!(program.virtual_tables.len(), 2);
}

#[test]
fn templates_of_containers_are_made() {
    let program = program(
        "template <class T> struct Box {
             T* data = nullptr; int n = 0;
             Box() = default;
             explicit Box(int n) : data(new T[n]()), n(n) {}
             Box(const Box& o) : data(new T[o.n]), n(o.n) { for (int i = 0; i < n; ++i) data[i] = o.data[i]; }
             Box(Box&& o) : data(o.data), n(o.n) { o.data = nullptr; o.n = 0; }
             Box& operator=(Box o) { T* t = data; data = o.data; o.data = t; n = o.n; return *this; }
             ~Box() { delete[] data; }
             T& operator[](int i) { return data[i]; }
             int size() const;
         };
         template <class T> int Box<T>::size() const { return n; }
         Box<Box<int>> make() { Box<Box<int>> all(2); all[0] = Box<int>(3); return all; }
         int main() { Box<Box<int>> b = make(); Box<int> none; none = b[0]; return none.size(); }",
    );
    assert_eq!(count(&program, "main", "ObjectBegins"), 2);
}

#[test]
fn what_is_thrown_is_caught_as_its_base() {
    let program = program(
        "struct Error { int code; Error(int c) : code(c) {} virtual ~Error() {} };
         struct Worse : Error { Worse() : Error(3) {} };
         int f() { try { throw Worse(); } catch (const Error& e) { return e.code; } catch (...) {} return 0; }
         int main() { return f(); }",
    );
    assert_eq!(count(&program, "f", "struct Error), 0"), 1);
}

#[test]
fn static_members_begin_with_what_stands_outside_and_iterators_are_followed() {
    let program = program(
        "struct Counter { static int count; Counter() { ++count; } ~Counter() { --count; } };
         int Counter::count = 3;
         struct At { int* p; int& operator*() const { return *p; } };
         struct Owner { At at; At* operator->() { return &at; } operator bool() const { return true; } };
         int main() { Counter a; int n = 1; Owner o{{&n}}; *o->p = 2; return *o.at + Counter::count + (bool)o; }",
    );
    let of = |variable: &&FileVariable| variable.path.ends_with("count");
    let count = program.variables.iter().find(of).expect("the member");
    assert_eq!(count.bytes, [3, 0, 0, 0]);
}

#[test]
fn references_to_references_are_one() {
    let program = program(
        "template <class T> T&& forward(T& x) { return (T&&)x; }
         struct Big { int* p; Big() : p(0) {} Big(const Big&) : p(0) {} Big(Big&& o) : p(o.p) {} ~Big() {} };
         int which(const Big&) { return 1; }
         int which(Big&&) { return 2; }
         template <class T> int pass(T&& x) { return which(forward<T>(x)); }
         int main() { Big b; return 10 * pass(b) + pass(Big()); }",
    );
    assert_eq!(count(&program, "pass<Big&>", "Call("), 2);
    assert_eq!(count(&program, "pass<Big>", "Call("), 2);
}
