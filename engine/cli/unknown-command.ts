/** A word that is no command: what people are told, and the exit code. */
import { nearest } from '../text/nearest.ts'
import type { ExitCode } from './command.ts'

/** Says that there is no such command, with the nearest of those that there are. */
export function refuseCommand(word: string, known: readonly string[], complain: (text: string) => void): ExitCode {
  const meant = nearest(word, known)
  complain(`There is no command ${word}.${meant === undefined ? '' : ` Did you mean ${meant}?`} See: plinth help`)
  return 2
}
