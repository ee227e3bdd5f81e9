from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # the library has no types
    """Names carry a content hash, also inside the page's ES modules, so browsers may keep them for ever."""

    support_js_module_import_aggregation = True
