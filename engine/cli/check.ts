/** `plinth check`: the diagnostics and nothing else; nothing at all when the YAML is fine. */
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  return (await readApplication(invocation)) === undefined ? 1 : 0
}
