import { homedir } from 'node:os'

/**
 * The user's home folder. A container can give a user none, neither by HOME nor by the list of users: then it is `/`, as
 * container runtimes say, too.
 */
export function homeOf({ HOME }: Readonly<Record<string, string | undefined>>): string {
  if (HOME) return HOME
  try {
    return homedir()
  } catch {
    return '/'
  }
}
