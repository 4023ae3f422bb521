-- readable-by: v449
-- proof: none
-- media: tags named "." or ".." could be attached and never removed, because no address names them.

delete from tag where name in ('.', '..');
