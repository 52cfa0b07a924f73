/** A deliberate break of the source, and the test that must turn red by it. */
export interface Mutation {
  /** Short, and one of its kind: `--only` takes it. */
  readonly name: string
  /** What it breaks: a promise of posthaul. */
  readonly promise: string
  /** The finding that stops nothing any more. */
  readonly code?: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  readonly test: {
    readonly file: string
    /** A piece of the test's name, as its file has it. */
    readonly name: string
    /** True if the test runs what `npm run build` makes. */
    readonly built: boolean
  }
}
