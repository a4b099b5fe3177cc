/** ⇄ For `node --import`: files that are run afterwards may be TypeScript, and mean this engine by `'plinth'`. */
import { registerHooks } from './modules.ts'

registerHooks()
