/** ⇄ One database for many applications with the same tables; each begins with the same rows. */
import { type Boot, readCatalog } from '../boot/boot.ts'
import { renderDiagnostics } from '../text/render.ts'
import { type ApplicationOptions, openGround, served, type TestApplication } from './application.ts'
import { type Baseline, keepBaseline } from './baseline.ts'

export interface Reusable {
  /** The application in the folder. */
  readonly boot: Boot
  /**
   * The application after its first start, or another one with the same tables. Only one at a time: the one before must
   * be closed.
   */
  start(other?: Boot): Promise<TestApplication>
  close(): Promise<void>
}

/**
 * Starts the application of a folder once, or one that was read already, and keeps its rows; rejects with its diagnostics
 * where it does not start.
 */
export async function reusable(options: ApplicationOptions, read?: Boot): Promise<Reusable> {
  let ground = await openGround(options)
  try {
    const { value: boot, diagnostics } =
      read === undefined ? await readCatalog(ground.settings) : { value: read, diagnostics: [] }
    if (boot === undefined) throw new Error(renderDiagnostics(diagnostics))
    const begin = async (): Promise<Baseline | undefined> => {
      const engine = await ground.engine({ read: { value: boot, diagnostics: [] } })
      await engine.close()
      return keepBaseline(ground.database)
    }
    const baseline = await begin()
    return {
      boot,
      async start(other = boot) {
        if (baseline === undefined) {
          // Without a baseline the database is made again.
          await ground.close()
          ground = await openGround(options)
          await begin()
        } else await baseline.restore(ground.database)
        const engine = await ground.engine({ read: { value: other, diagnostics: [] }, begin: false, asLeft: true })
        return served(engine, ground)
      },
      close: () => ground.close(),
    }
  } catch (error) {
    await ground.close()
    throw error
  }
}
