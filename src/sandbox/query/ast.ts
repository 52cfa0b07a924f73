/** Where a node stands in the query, in code points. */
export interface Place {
  readonly offset: number
}

interface At {
  readonly start?: Place
  readonly end?: Place
}

export interface Field extends At {
  readonly node: 'Field'
  readonly chain: readonly (string | number)[]
}

export interface Constant extends At {
  readonly node: 'Constant'
  readonly value: string | number | boolean | null
  /** `number`: `value` is the digits of a number that JSON can't hold, or `Infinity`, `-Infinity`, `NaN`. */
  readonly value_type?: 'number'
}

export interface Call extends At {
  readonly node: 'Call'
  readonly name: string
  readonly args: readonly Expr[]
  /** Of a function with two pairs of parentheses, such as `quantile(0.5)(x)`: what stands in the first. */
  readonly params: readonly Expr[] | null
  readonly distinct: boolean
  readonly filter_expr?: Expr | null
  readonly order_by?: readonly OrderExpr[] | null
}

export interface OrderExpr extends At {
  readonly node: 'OrderExpr'
  readonly expr: Expr
  readonly order: 'ASC' | 'DESC'
}

export interface WindowExpr extends At {
  readonly node: 'WindowExpr'
  readonly partition_by?: readonly Expr[] | null
  readonly order_by?: readonly OrderExpr[] | null
  readonly frame_method?: string | null
  readonly frame_start?: WindowFrame | null
  readonly frame_end?: WindowFrame | null
}

export interface WindowFrame {
  readonly frame_type: string | null
  readonly frame_value: number | null
}

export interface WindowFunction extends At {
  readonly node: 'WindowFunction'
  readonly name: string
  /** What the function is called with; `args` are the parameters of its first pair of parentheses. */
  readonly exprs: readonly Expr[]
  readonly args: readonly Expr[]
  readonly over_expr?: WindowExpr | null
  readonly over_identifier?: string | null
}

interface Pair extends At {
  readonly left: Expr
  readonly right: Expr
}

interface List<Node> extends At {
  readonly node: Node
  readonly exprs: readonly Expr[]
}

interface Cast<Node> extends At {
  readonly node: Node
  readonly expr: Expr
  readonly type_name: string
}

/** What stands for a value. */
export type Expr =
  | Field
  | Constant
  | Call
  | WindowFunction
  | Query
  | ({ readonly node: 'Alias'; readonly alias: string; readonly expr: Expr } & At)
  | List<'And'>
  | List<'Or'>
  | List<'Array'>
  | List<'Tuple'>
  | ({ readonly node: 'Not'; readonly expr: Expr } & At)
  | ({ readonly node: 'ArithmeticOperation'; readonly op: string } & Pair)
  | ({ readonly node: 'IsDistinctFrom' } & Pair)
  | ({
      readonly node: 'CompareOperation'
      readonly op: string
      readonly is_null_comparison_style?: boolean
    } & Pair)
  | ({
      readonly node: 'BetweenExpr'
      readonly expr: Expr
      readonly low: Expr
      readonly high: Expr
      readonly negated: boolean
    } & At)
  | ({ readonly node: 'ArrayAccess'; readonly array: Expr; readonly property: Expr } & At)
  | ({ readonly node: 'TupleAccess'; readonly tuple: Expr; readonly index: number } & At)
  | Cast<'TypeCast'>
  | Cast<'TryCast'>

/** A table of FROM, and those joined to it. */
export interface JoinExpr extends At {
  readonly node: 'JoinExpr'
  readonly table: Field | Query
  readonly table_args?: readonly Expr[] | null
  readonly alias: string | null
  readonly column_aliases?: readonly string[] | null
  readonly table_final: boolean | null
  readonly sample: unknown
  readonly join_type?: string | null
  readonly constraint?: { readonly constraint_type: 'ON' | 'USING'; readonly expr: Expr } | null
  readonly next_join?: JoinExpr | null
}

export interface Cte {
  readonly name: string
  readonly cte_type: 'subquery' | 'column'
  readonly expr: Expr
  readonly recursive?: boolean
}

export interface SelectQuery extends At {
  readonly node: 'SelectQuery'
  readonly ctes: readonly Cte[] | null
  readonly select: readonly Expr[]
  readonly distinct: boolean | null
  readonly select_from: JoinExpr | null
  readonly where: Expr | null
  readonly prewhere: Expr | null
  readonly group_by: readonly Expr[] | null
  readonly group_by_mode?: string | null
  readonly having: Expr | null
  readonly qualify: Expr | null
  readonly window_exprs?: Readonly<Record<string, WindowExpr>> | null
  readonly order_by?: readonly OrderExpr[] | null
  readonly limit?: Expr | null
  readonly offset?: Expr | null
}

export interface SelectSetQuery extends At {
  readonly node: 'SelectSetQuery'
  readonly initial_select_query: Query
  readonly subsequent_select_queries: readonly {
    readonly select_query: Query
    readonly set_operator: string
  }[]
  readonly limit?: Expr | null
  readonly offset?: Expr | null
}

export type Query = SelectQuery | SelectSetQuery
