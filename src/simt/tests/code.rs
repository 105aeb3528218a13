//! A small assembler.

use crate::ir::{
    AccessRole, AccessSite, Call, Declaration, IndexType, Instruction, Kernel, KernelMemory,
    KernelTables, NO_REGISTER, Op, Operand, Parameter, ParameterType, Register, SourceMap, Space,
    Statement, ValueKind, Variable, VariablePlace, verify,
};
use crate::launch::{ElementType, ValueType};
use crate::memory::AccessKind;
use crate::source::Span;

/// A kernel in the making. Targets are filled in by [`Code::done`], registers are handed out.
pub struct Code {
    kernel: Kernel,
    line: u32,
    heads: Vec<u32>,
}

impl Code {
    /// A kernel with so many pointers, then so many 32-bit integers, as parameters.
    pub fn new(pointers: usize, integers: usize) -> (Self, Vec<Register>) {
        let kernel = Kernel {
            name: "kernel".to_owned(),
            span: crate::source::Span::default(),
            code: vec![],
            source: SourceMap {
                functions: vec!["kernel".to_owned()],
                calls: vec![Call::default()],
                ..SourceMap::default()
            },
            sites: vec![],
            tables: KernelTables::default(),
            registers: 0,
            parameters: vec![],
            variables: vec![],
            memory: KernelMemory::default(),
            max_threads: None,
            recosted: Vec::new(),
        };
        let mut code = Code {
            kernel,
            line: 1,
            heads: vec![],
        };
        let integer = ValueType::Number(ElementType::I32);
        let parameters = (0..pointers + integers).map(|at| {
            let (parameter_type, value_type, words) = if at < pointers {
                (ParameterType::Pointer, ValueType::Pointer, 2)
            } else {
                (ParameterType::Scalar(integer), integer, 1)
            };
            let register = code.registers(words);
            code.kernel.parameters.push(Parameter {
                name: format!("p{at}"),
                parameter_type,
                type_name: "T".to_owned(),
                points_to: None,
                register,
                offset_bytes: 8 * at as u32,
            });
            code.variable(&format!("p{at}"), value_type, register);
            register
        });
        let parameters = parameters.collect();
        (code, parameters)
    }

    pub fn registers(&mut self, words: u16) -> Register {
        self.kernel.registers += words;
        self.kernel.registers - words
    }

    pub fn variable(&mut self, name: &str, value_type: ValueType, register: Register) {
        self.kernel.variables.push(Variable {
            name: name.to_owned(),
            type_name: "T".to_owned(),
            value_type,
            place: VariablePlace::Register(register),
            line: self.line,
            declaration: Declaration::default(),
        });
    }

    /// Begins a statement on the next line; its span is its line number.
    pub fn statement(&mut self) {
        self.line += 1;
        self.kernel.source.statements.push(Statement {
            first: self.kernel.code.len() as u32,
            span: self.span(),
            line: self.line,
            call: 0,
            resumes: false,
        });
    }

    fn span(&self) -> Span {
        Span::new(self.line as usize, self.line as usize + 1)
    }

    pub fn emit(&mut self, op: Op, dst: Register, [a, b, c]: [Register; 3], imm: u32) {
        self.kernel.code.push(Instruction {
            op,
            dst,
            a,
            b,
            c,
            imm,
        });
        self.kernel.source.lines.push(self.line);
    }

    /// `op` of `operands` into an existing register.
    pub fn put(&mut self, op: Op, dst: Register, operands: &[Register]) {
        let operand = |at| operands.get(at).copied().unwrap_or(0);
        self.emit(op, dst, [operand(0), operand(1), operand(2)], 0);
    }

    /// `op` of `operands` into new registers.
    pub fn value(&mut self, op: Op, operands: &[Register]) -> Register {
        let wide = op.operands().contains(&Operand::Dst64);
        let dst = self.registers(if wide { 2 } else { 1 });
        self.put(op, dst, operands);
        dst
    }

    pub fn constant(&mut self, value: u32) -> Register {
        let dst = self.registers(1);
        self.emit(Op::Const32, dst, [0; 3], value);
        dst
    }

    pub fn constant64(&mut self, value: u64) -> Register {
        let dst = self.registers(2);
        self.kernel.tables.constants.push(value);
        let index = self.kernel.tables.constants.len() as u32 - 1;
        self.emit(Op::Const64, dst, [0; 3], index);
        dst
    }

    /// `blockIdx.x * blockDim.x + threadIdx.x`.
    pub fn global_index(&mut self) -> Register {
        let block = self.value(Op::BlockX, &[]);
        let size = self.value(Op::BlockDimX, &[]);
        let thread = self.value(Op::ThreadX, &[]);
        self.value(Op::MadI32, &[block, size, thread])
    }

    fn access(&mut self, op: Op, data: Register, base: Register, index: Register, site: Site) {
        self.kernel.sites.push(AccessSite {
            kind: match op {
                Op::Load | Op::LoadShared | Op::LoadLocal => AccessKind::Load,
                _ => AccessKind::Store,
            },
            is_atomic: false,
            one_lane: false,
            role: AccessRole::Own,
            space: match op {
                Op::Load | Op::Store => Space::Generic,
                Op::LoadShared | Op::StoreShared => Space::Shared,
                _ => Space::Local,
            },
            width_bytes: site.width,
            value: site.value,
            index: site.index,
            scale_bytes: site.scale.unwrap_or(site.width),
            offset_bytes: site.offset,
            span: self.span(),
            line: self.line,
        });
        let imm = self.kernel.sites.len() as u32 - 1;
        self.emit(op, data, [base, index, 0], imm);
    }

    pub fn load(&mut self, op: Op, base: Register, index: Register, site: Site) -> Register {
        let data = self.registers(site.width.div_ceil(4) as u16);
        self.access(op, data, base, index, site);
        data
    }

    pub fn store(&mut self, op: Op, data: Register, base: Register, index: Register, site: Site) {
        self.access(op, data, base, index, site);
    }

    pub fn begin_if(&mut self, condition: Register) {
        self.put(Op::If, 0, &[condition]);
    }

    pub fn begin_else(&mut self) {
        self.put(Op::Else, 0, &[]);
    }

    /// Ends an `if` that has had its `else`.
    pub fn end_else(&mut self) {
        self.put(Op::EndIf, 0, &[]);
    }

    /// Ends an `if` without `else`.
    pub fn end_if(&mut self) {
        self.begin_else();
        self.end_else();
    }

    pub fn begin_loop(&mut self) {
        self.put(Op::ScopeBegin, 0, &[]);
        self.begin_loop_here();
    }

    /// Begins a loop whose frame is open.
    pub fn begin_loop_here(&mut self) {
        self.heads.push(self.kernel.code.len() as u32);
    }

    pub fn rejoin(&mut self) {
        self.put(Op::Rejoin, 0, &[]);
    }

    pub fn end_loop(&mut self) {
        let head = self.heads.pop().expect("a loop is open");
        self.emit(Op::Jump, 0, [0; 3], head);
        self.put(Op::ScopeEnd, 0, &[]);
    }

    pub fn shared(&mut self, bytes: u32) {
        self.kernel.memory.shared_bytes = bytes;
    }

    pub fn local(&mut self, bytes: u32) {
        self.kernel.memory.local_bytes = bytes;
    }

    /// The kernel, with targets, checked.
    pub fn done(mut self) -> Kernel {
        self.put(Op::End, 0, &[]);
        for at in 0..self.kernel.code.len() {
            let op = self.kernel.code[at].op;
            if op.operands().contains(&Operand::Target) && op != Op::Jump {
                self.kernel.code[at].imm = self.target(at);
            }
        }
        verify(&self.kernel).expect("valid bytecode");
        self.kernel
    }

    /// The next joining instruction of the innermost open frame.
    fn target(&self, from: usize) -> u32 {
        let to_end = matches!(self.kernel.code[from].op, Op::LeaveUnless | Op::Rejoin);
        let mut depth = 0;
        for (at, instruction) in self.kernel.code.iter().enumerate().skip(from + 1) {
            match instruction.op {
                Op::If | Op::ScopeBegin => depth += 1,
                Op::EndIf | Op::ScopeEnd if depth > 0 => depth -= 1,
                Op::Rejoin if to_end => {}
                Op::Else | Op::Rejoin | Op::EndIf | Op::ScopeEnd | Op::End if depth == 0 => {
                    return at as u32;
                }
                _ => {}
            }
        }
        panic!("code ends");
    }
}

/// How an access goes.
#[derive(Clone, Copy)]
pub struct Site {
    pub width: u32,
    pub value: ValueKind,
    pub index: IndexType,
    /// The width, if nothing else.
    pub scale: Option<u32>,
    pub offset: i32,
}

impl Site {
    pub fn of(width: u32) -> Self {
        Site {
            width,
            value: ValueKind::Unsigned,
            index: IndexType::I32,
            scale: None,
            offset: 0,
        }
    }
}

/// No base.
pub const ZERO: Register = NO_REGISTER;
