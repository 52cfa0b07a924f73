import { ENVIRONMENT, hasFile, VARIABLES } from '../../options/index.ts'
import { folded } from '../../text/index.ts'

const NAME_WIDTH = Math.max(...VARIABLES.map(({ name }) => name.length)) + 4

const HEAD = `Environment variables that posthaul reads.

An option on the command line is stronger than its variable, and a variable is
stronger than the config file. An empty variable counts as none. Of those with
a *, the name with _FILE names a file (chmod 600) that holds the value.
`

/** `help environment`. */
export function environmentTopic(): string {
  const sections = ENVIRONMENT.map(({ title, variables }) => {
    const lines = variables.map((variable) => {
      const name = `  ${variable.name}${hasFile(variable) ? ' *' : ''}`
      return folded(variable.help, ' '.repeat(NAME_WIDTH), name.padEnd(NAME_WIDTH))
    })
    return `\n${title}:\n${lines.join('')}`
  })
  return `${HEAD}${sections.join('')}`
}
