/** What the commands of this plugin have in common: alone they list, and `retry <which>|all` lets work begin anew. */
import type { PluginContext } from '../../engine/index.ts'

/** How many of what failed are listed. */
export const SHOWN = 50

interface Words {
  readonly usage: string
  /** Told where `retry` finds nothing of that name. */
  readonly none: string
  /** Told with the number of those that begin anew. */
  readonly again: string
}

/** A command that lists what `lines` gives, or retries; its exit code is 2 for other words, and 1 where nothing is found. */
export function retryCommand(
  { again, none, usage }: Words,
  lines: (context: PluginContext) => Promise<readonly string[]>,
  retry: (runner: PluginContext['database']['adhoc'], which: string) => Promise<number>,
) {
  return async (context: PluginContext, [verb, which]: readonly string[]): Promise<number> => {
    if (verb === undefined) {
      process.stdout.write(`${(await lines(context)).join('\n')}\n`)
      return 0
    }
    if (verb !== 'retry' || which === undefined) {
      process.stderr.write(`${usage}\n`)
      return 2
    }
    const count = await retry(context.database.adhoc, which)
    if (count === 0) process.stderr.write(`${none}\n`)
    else process.stdout.write(`${again}: ${count}\n`)
    return count === 0 ? 1 : 0
  }
}
