/** A word that is no command: what people are told, and the exit code. */
import { nearest } from '../text/nearest.ts'
import type { ExitCode } from './command.ts'

/** Our command → what other programs call it. */
const OTHERS: Readonly<Record<string, string>> = {
  init: 'new create scaffold',
  add: 'generate g make',
  'start --watch': 'dev develop watch',
  start: 'serve server run up',
  check: 'validate lint verify',
  apply: 'migrate deploy push db:migrate',
  plan: 'status preview',
  dump: 'backup export',
  load: 'restore',
  doctor: 'health diagnose',
}

/** Says that there is no such command, with the one that others call so or the nearest of those that there are. */
export function refuseCommand(word: string, known: readonly string[], complain: (text: string) => void): ExitCode {
  const [ours] = Object.entries(OTHERS).find(([, theirs]) => theirs.split(' ').includes(word.toLowerCase())) ?? []
  const meant = ours ?? nearest(word, known)
  complain(`There is no command ${word}.${meant === undefined ? '' : ` Did you mean ${meant}?`} See: plinth help`)
  return 2
}
