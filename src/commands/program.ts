// The whole program as data: what completion is made of.

/** What a shell completes a value with. */
export type WordKind = 'file' | 'folder' | 'word'

/** The value of an option or an argument. */
export interface ShownValue {
  readonly kind: WordKind
  /** The only words that are allowed; none if there are others. */
  readonly choices: readonly string[]
  readonly several: boolean
}

export interface ShownOption {
  /** `--in`. */
  readonly flag: string
  readonly short: string | undefined
  readonly help: string
  /** None for a switch. */
  readonly value: ShownValue | undefined
}

/** A command as its table of options declares it. */
export interface ShownCommand {
  /** The words that lead to it: `export`, `mixpanel`; none for posthaul itself. */
  readonly path: readonly string[]
  readonly summary: string
  readonly options: readonly ShownOption[]
  readonly args: readonly ShownValue[]
  readonly commands: readonly ShownCommand[]
}
