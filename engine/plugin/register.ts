/** ⇄ For `node --import`: files that run afterwards may be TypeScript, and `'plinth'` is this engine. */
import { registerHooks } from './modules.ts'

registerHooks()
