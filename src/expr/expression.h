// Expressions of model files: text -> tree -> flat program -> values and exact derivatives.
//
// An expression is parsed once. Names are resolved once, by whoever knows the model, into Symbols.
// The result is a Program: a flat list of instructions in which equal subexpressions are one entry
// and constants are folded. A program is evaluated over any scalar (forward derivatives by Dual),
// and its exact gradient with respect to all inputs is one reverse sweep.
#pragma once

#include "core/diagnostics.h"
#include "core/scalar.h"
#include "expr/compile.h"
#include "expr/parse.h"
#include "expr/program.h"
#include "expr/table_function.h"
