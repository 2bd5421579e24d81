import { z } from "./zod.ts";

/** A registry's credential, as `X-Registry-Auth` carries it (`dockerRegistry.AuthConfig`). */
export const AuthConfig = z.object({
  username: z.string().optional(),
  password: z.string().optional(),
  auth: z.string().optional(),
  serveraddress: z.string().optional(),
  identitytoken: z.string().optional(),
  registrytoken: z.string().optional(),
});
export type AuthConfig = z.output<typeof AuthConfig>;
