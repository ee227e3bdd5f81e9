"""A small workshop of agents whose routing does not depend on the sample cards."""

from orchestration.directory import Directory
from tests.support.directories import card, directory

DIAGNOSIS = card(
    "diagnosis_agent",
    display_name="故障诊断",
    capabilities=["Explains trouble codes of a car", "解释故障码的含义和可能原因"],
    examples=[
        "what does P0420 mean",
        "P0171 是什么故障？",
        "发动机抖动是什么原因",
        "why does my engine misfire",
    ],
    not_for=[{"text": "查询零件库存", "agent": "stock_agent"}, "聊天"],
    routing_keywords=[r"re:\b[PBCU][0-9]{4}\b", "故障码", "OBD"],
)
STOCK = card(
    "stock_agent",
    display_name="Stock Desk",
    capabilities=["Tells how many parts a warehouse holds", "查询各仓库的零件库存"],
    examples=["how many brake pads are in stock", "苏州仓还有多少蓄电池", "刹车片还有货吗"],
    routing_keywords=["库存", "stock"],
)
BOOKING = card(
    "booking_agent",
    display_name="Service Booking",
    capabilities=["Books a service appointment", "预约、改期或取消保养"],
    examples=["book an oil change for Friday", "预约周三下午的保养", "cancel my appointment"],
    routing_keywords=["预约", "库存预约", "book"],
)
GENERAL = card(
    "general_agent",
    display_name="前台",
    capabilities=["Says what can be asked here"],
    examples=["你好", "what can you do"],
)


def workshop(*, fallback: str | None = "general_agent") -> Directory:
    """All four agents."""
    return directory(DIAGNOSIS, STOCK, BOOKING, GENERAL, fallback=fallback)
