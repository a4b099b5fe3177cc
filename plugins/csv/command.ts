/** `plinth import <resource> <file>`: the import from a terminal, with a bar that shows how far it is. */
import { access } from 'node:fs/promises'
import { ApiError, nearest, type PluginContext } from '../../engine/index.ts'
import { importSheet, sheetOf } from './import.ts'
import { definitionOf } from './key.ts'
import { type Report, summary } from './outcome.ts'

const WIDTH = 30
export const DRY = '--dry-run'

/** Imports as the system; exit code 0 when every row is in, 1 when one failed, 2 when the words are wrong. */
export async function importCommand(context: PluginContext, args: readonly string[]): Promise<number> {
  const [name = '', path = '', ...more] = args.filter((word) => word !== DRY)
  const importable = [...context.catalog.resources.values()].filter(
    ({ keys }) => definitionOf(keys.csv)?.import !== undefined,
  )
  const resource = importable.find((one) => one.name === name)
  if (path === '' || more.length > 0) return refuse(`Use: plinth import <resource> <file> [${DRY}]`)
  if (resource === undefined) {
    const names = importable.map((one) => one.name)
    const meant = nearest(name, names)
    return refuse(
      `"${name}" can't be imported. ${meant === undefined ? `What can: ${names.join(', ')}` : `Did you mean ${meant}?`}`,
    )
  }
  const readable = await access(path).then(
    () => true,
    () => false,
  )
  if (!readable) return refuse(`There is no file ${path}.`)
  try {
    const dryRun = args.includes(DRY)
    const sheet = await sheetOf(context, resource, path)
    const report = await importSheet(context, resource, sheet, { dryRun, progress: bar() })
    return tell(report, dryRun)
  } catch (error) {
    if (error instanceof ApiError) return refuse(error.params.errors?.file?.[0] ?? error.message, 1)
    throw error
  }
}

function refuse(sentence: string, code = 2): number {
  process.stderr.write(`${sentence}\n`)
  return code
}

/** A bar that redraws itself on a terminal; elsewhere nothing is drawn. */
function bar(): (done: number, total: number) => void {
  return (done, total) => {
    if (!process.stderr.isTTY) return
    const filled = total === 0 ? WIDTH : Math.round((WIDTH * done) / total)
    process.stderr.write(
      `\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done} of ${total}${done === total ? '\n' : ''}`,
    )
  }
}

function tell(report: Report, dryRun: boolean): number {
  for (const { row, errors } of report.errors)
    process.stderr.write(`line ${row}: ${Object.values(errors).flat().join('; ')}\n`)
  process.stdout.write(`${summary(report)}${dryRun ? ' (dry run: nothing was written)' : ''}\n`)
  return report.failed > 0 ? 1 : 0
}
