/** The member of a manifest's `source` that has its inputs as a list. */
export const INPUT_LIST = 'input_list'

/** What a manifest keeps of the inputs of a transform: as words for people, and one by one, since a path can have blanks. */
export function keptInputs(paths: readonly string[]): Record<'inputs' | typeof INPUT_LIST, string> {
  return { inputs: paths.join(' '), [INPUT_LIST]: JSON.stringify(paths) }
}

/** The inputs of a transform; undefined for a dataset that no transform made of files that the user named. */
export function inputList(source: Readonly<Record<string, string>>): string[] | undefined {
  const list = source[INPUT_LIST]
  return list === undefined ? undefined : (JSON.parse(list) as string[])
}
