/** What a command of the command line is: its line in the help, its arguments, and where its work is. */
import type { ParseArgsConfig } from 'node:util'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'

/** Everything a command gets; it writes through `say` and `complain`, and never touches the process. */
export interface Invocation {
  readonly settings: Settings
  readonly log: Logger
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  /** One or more lines for standard output. */
  say(text: string): void
  /** One or more lines for standard error. */
  complain(text: string): void
  /** Whether standard output is a terminal that shows colours. */
  readonly color: boolean
  /** Resolves when the process is asked to stop. */
  readonly stopped: Promise<void>
  /** Calls `act` whenever the process gets a SIGHUP from something other than its terminal, which then does not end it. */
  onHangup(act: () => void): void
  /** Every command of Plinth itself, in the order of the help. */
  readonly commands: readonly Command[]
}

/** 0: done. 1: refused, with the reason said. 2: the command line itself is wrong. 3: a plan has changes, where that was asked. */
export type ExitCode = number

export interface CommandModule {
  run(invocation: Invocation): Promise<ExitCode>
}

export interface Command {
  readonly name: string
  /** What follows the name: `<file> [--now]`. */
  readonly usage: string
  readonly summary: string
  /** A command line that does something useful. */
  readonly example: string
  /** Words that may stand first, for the completion of shells; absent where it takes files or names. */
  readonly words?: readonly string[]
  readonly options?: NonNullable<ParseArgsConfig['options']>
  /** How many positional arguments it takes, at least and at most. */
  readonly takes?: readonly [least: number, most: number]
  /** Loaded when it runs, so that help does not wait for the database's libraries. */
  readonly load: () => Promise<CommandModule>
}

/** How a command is called: `plinth apply <hash>`. */
export function lineOf({ name, usage }: Pick<Command, 'name' | 'usage'>): string {
  return usage === '' ? `plinth ${name}` : `plinth ${name} ${usage}`
}
