/** `plinth version`: the version of Plinth, and that of Node. */
import type { ExitCode, Invocation } from './command.ts'
import { ownPackage } from './init/own-package.ts'

export async function run({ say }: Invocation): Promise<ExitCode> {
  const { version } = await ownPackage()
  say(`plinth ${version}, node ${process.versions.node}`)
  return 0
}
